#include "plugin/dcp_json.h"

#include <charconv>

#include "plugin/dcp_fields.h"
#include "plugin/dcp_preferences.h"
#include "plugin/json.h"
#include "plugin/text.h"
#include "proto/dcp/json_members.h"

namespace cdcscope {
namespace {

using dcp::field_id;

// Filled before epan is called, used again and again: nothing that owns memory is alive meanwhile.
dcp::member_list members;

std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole ? std::optional(value) : std::nullopt;
}

void add_member(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb, std::size_t at,
                const dcp::member_list::item& m) {
    const std::string_view text = members.text(m);
    const int id = dcp_field(m.field);
    const int start = static_cast<int>(at + m.at);
    const int size = static_cast<int>(m.size);
    const dcp::field_type type = dcp::describe(m.field).type;
    if (type == dcp::field_type::text) {
        proto_tree_add_string(tree, id, tvb, start, size, ws::field_text(t.pinfo, as_bytes(text)));
    } else if (type == dcp::field_type::boolean) {
        proto_tree_add_boolean(tree, id, tvb, start, size, text == "true");
    } else if (const auto number = number_in(text); !number) {
        return;  // not what the member should be: the JSON tree shows it
    } else if (type == dcp::field_type::u64) {
        proto_tree_add_uint64(tree, id, tvb, start, size, *number);
    } else if (*number <= 0xffff) {
        proto_tree_add_uint(tree, id, tvb, start, size, static_cast<std::uint32_t>(*number));
    }
}

}  // namespace

void add_dcp_json(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb, field_id id,
                  std::size_t at, byte_view bytes) {
    proto_item* item = add_dcp_text(t, tree, tvb, id, at, bytes);
    proto_tree* sub = item == nullptr ? tree : proto_item_add_subtree(item, dcp_tree(id));
    if (dcp::has_json_members(id)) {
        (void)members.read(id, bytes);
        for (const dcp::member_list::item& m : members.items()) add_member(t, sub, tvb, at, m);
    }
    if (bytes.empty() || !dcp_preferences().decode_json) return;
    ws::dissect_json(
        tvb_new_subset_length(tvb, static_cast<int>(at), static_cast<int>(bytes.size())), t.pinfo,
        sub);
}

}  // namespace cdcscope
