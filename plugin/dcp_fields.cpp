#include "plugin/dcp_fields.h"

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "plugin/text.h"
#include "proto/dcp/opcodes.h"

namespace cdcscope {
namespace {

using dcp::field_id;
using dcp::field_type;

std::array<int, dcp::field_count> fields;
std::array<int, dcp::field_count> trees;

// Owns what epan keeps pointing to.
struct registry {
    std::vector<hf_register_info> fields;
    std::vector<int*> trees;
    std::deque<std::vector<value_string>> values;
    std::deque<value_string_ext> large_values;
};
registry known;

// The list is looked through from its start; longer ones are searched by halves.
constexpr std::size_t longest_plain_list = 12;

const void* values_of(std::vector<value_string> made, int& display) {
    made.push_back({0, nullptr});
    const std::vector<value_string>& kept = known.values.emplace_back(std::move(made));
    if (kept.size() <= longest_plain_list) return VALS(kept.data());
    display |= BASE_EXT_STRING;
    value_string_ext& ext = known.large_values.emplace_back();
    ext._vs_match2 = _try_val_to_str_ext_init;
    ext._vs_num_entries = static_cast<std::uint32_t>(kept.size() - 1);
    ext._vs_p = kept.data();
    ext._vs_name = "cbdcp";
    return &ext;
}

const void* opcode_names(std::span<const dcp::opcode_row> rows, int& display) {
    std::vector<value_string> made;
    for (const dcp::opcode_row& r : rows) made.push_back({r.opcode, ws::c_str(r.title)});
    return values_of(std::move(made), display);
}

const void* names_of(const dcp::field& f, int& display) {
    if (f.id == field_id::opcode) return opcode_names(dcp::client_opcodes(), display);
    if (f.id == field_id::push_opcode) return opcode_names(dcp::push_opcodes(), display);
    if (f.values.empty()) return nullptr;
    std::vector<value_string> made;
    for (const dcp::named_value& v : f.values) made.push_back({v.value, ws::c_str(v.title)});
    return values_of(std::move(made), display);
}

// The kinds of links between frames: the arrows in the packet list.
const void* link_kind(field_id id) {
    switch (id) {
        case field_id::request_in:
            return FRAMENUM_TYPE(FT_FRAMENUM_REQUEST);
        case field_id::response_in:
            return FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE);
        case field_id::commit_in:
        case field_id::flow_ack_in:
            return FRAMENUM_TYPE(FT_FRAMENUM_ACK);
        default:
            return FRAMENUM_TYPE(FT_FRAMENUM_NONE);
    }
}

const dcp::field& parent_of_bit(const dcp::field& f) {
    const dcp::field* p = &f;
    while (p->type == field_type::bit) --p;
    return *p;
}

struct shape {
    ftenum type;
    int display;
};

shape shape_of(const dcp::field& f) {
    const int number = f.display == dcp::field_display::hex ? BASE_HEX : BASE_DEC;
    switch (f.type) {
        case field_type::group:
            return {FT_NONE, BASE_NONE};
        case field_type::u8:
            return {FT_UINT8, number};
        case field_type::u16:
            return {FT_UINT16, number};
        case field_type::u32:
        case field_type::leb128:
            return {FT_UINT32, number};
        case field_type::u64:
            return {FT_UINT64, number};
        case field_type::i64:
            return {FT_INT64, BASE_DEC};
        case field_type::boolean:
            return {FT_BOOLEAN, BASE_NONE};
        case field_type::bit:
            return {FT_BOOLEAN, static_cast<int>(dcp::width(parent_of_bit(f).type) * 8)};
        case field_type::text:
            return {FT_STRING, BASE_NONE};
        case field_type::bytes:
            return {FT_BYTES, BASE_NONE};
        case field_type::frame:
            return {FT_FRAMENUM, BASE_NONE};
        case field_type::duration:
            return {FT_RELATIVE_TIME, BASE_NONE};
        case field_type::percentage:
            return {FT_DOUBLE, BASE_NONE};
    }
    return {FT_NONE, BASE_NONE};
}

// Bytes that are text more often than not.
bool is_mostly_text(field_id id) {
    return id == field_id::key || id == field_id::document_key || id == field_id::value ||
           id == field_id::body;
}

header_field_info describe(const dcp::field& f) {
    const shape s = shape_of(f);
    int display = s.display;
    const void* names = f.type == field_type::frame ? link_kind(f.id) : names_of(f, display);
    if (is_mostly_text(f.id)) display |= BASE_SHOW_UTF_8_PRINTABLE;
    return {ws::c_str(f.title),
            ws::c_str(f.abbreviation),
            s.type,
            display,
            names,
            f.mask,
            f.blurb.empty() ? nullptr : ws::c_str(f.blurb),
            HFILL};
}

}  // namespace

int dcp_field(field_id id) {
    return fields[static_cast<std::size_t>(id)];
}
int dcp_tree(field_id id) {
    return trees[static_cast<std::size_t>(id)];
}

void register_dcp_fields(int proto) {
    fields.fill(-1);
    trees.fill(-1);
    known.fields.reserve(dcp::field_count);
    for (const dcp::field& f : dcp::fields) {
        const auto at = static_cast<std::size_t>(f.id);
        known.fields.push_back({&fields[at], describe(f)});
        if (f.type != field_type::bit) known.trees.push_back(&trees[at]);
    }
    proto_register_field_array(proto, known.fields.data(), static_cast<int>(known.fields.size()));
    proto_register_subtree_array(known.trees.data(), static_cast<int>(known.trees.size()));
}

}  // namespace cdcscope
