// Names and prefixes of collections.
#include "proto/dcp/track_names.h"

#include "proto/dcp/flat_table.h"
#include "proto/dcp/json_values.h"
#include "proto/wire/varint.h"

namespace cdcscope::dcp {
namespace {

constexpr std::size_t most_names = 1U << 16;
enum event : std::uint64_t { collection_begins = 0, scope_begins = 3, collection_changes = 5 };

template <typename Map, typename Value>
void keep(Map& map, std::uint32_t id, Value value) {
    if (map.size() < most_names || map.contains(id)) map[id] = std::move(value);
}

// The name is the key; an event of version 2 may have it in its table alone.
std::string name_of(const message_view& m) {
    if (!m.parts.key.empty() || m.event == nullptr) return std::string(kept_text(m.parts.key));
    const std::optional<flat_table> table = flat_table::open(m.parts.value);
    for (const flat_field& each : m.event->table) {
        if (each.field != m.event->key_field || !table) continue;
        return std::string(kept_text(table->string(each.slot).value_or(byte_view{})));
    }
    return {};
}

}  // namespace

void learned_names::learn_event(const message_view& m) {
    const std::optional<std::uint64_t> id = m.number(field_id::event_id);
    std::string name = name_of(m);
    if (!id || name.empty()) return;
    const auto scope = static_cast<std::uint32_t>(number_or(m, field_id::scope_id, 0));
    if (*id == collection_begins || *id == collection_changes) {
        const auto collection =
            static_cast<std::uint32_t>(number_or(m, field_id::collection_id, 0));
        keep(collections_, collection, named_collection{scope, std::move(name)});
    } else if (*id == scope_begins) {
        keep(scopes_, scope, std::move(name));
    }
}

void learned_names::learn_manifest(byte_view json) {
    (void)read_manifest(json, [&](const manifest_entry& each) {
        keep(scopes_, each.scope_id, std::string(kept_text(as_bytes(each.scope))));
        if (each.has_collection) {
            keep(
                collections_, each.collection_id,
                named_collection{each.scope_id, std::string(kept_text(as_bytes(each.collection)))});
        }
    });
}

connection_names::collection_name learned_names::collection(std::uint32_t id) const noexcept {
    const auto found = collections_.find(id);
    if (found != collections_.end()) return {scope(found->second.scope), found->second.name};
    if (id == 0) return {"_default", "_default"};
    return {};
}

std::string_view learned_names::scope(std::uint32_t id) const noexcept {
    const auto found = scopes_.find(id);
    if (found != scopes_.end()) return found->second;
    return id == 0 ? std::string_view("_default") : std::string_view{};
}

void prefix_judge::see(const message_view& m, const learned_names& names) noexcept {
    if (m.head.is_response() || m.head.is_push() || m.row == nullptr) return;
    if (m.head.opcode == op::system_event || m.head.opcode == op::seqno_advanced ||
        (m.head.opcode == op::stream_req && !m.parts.value.empty())) {
        proof_ = true;
        return;
    }
    const bool has_document_key =
        m.row->data_change && rule_of(*m.row, m.head).key.collection_prefix;
    if (!has_document_key || m.parts.key.empty()) return;
    const varint id = read_leb128_u32(m.parts.key);
    const bool fits =
        id.state == varint_state::complete && id.size < m.parts.key.size() &&
        (id.value == 0 || names.knows_collection(static_cast<std::uint32_t>(id.value)));
    misfit_ = misfit_ || !fits;
    fitting_ += fits && fitting_ < UINT32_MAX ? 1 : 0;
}

}  // namespace cdcscope::dcp
