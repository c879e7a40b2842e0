// Decoding by the layout table.
#include "proto/dcp/decode.h"

#include <algorithm>
#include <cmath>

#include "proto/dcp/flat_table.h"
#include "proto/dcp/names.h"
#include "proto/wire/varint.h"

namespace cdcscope::dcp {
namespace {

std::uint64_t load(const std::uint8_t* p, std::size_t size) noexcept {
    switch (size) {
        case 1:
            return p[0];
        case 2:
            return load_be16(p);
        case 4:
            return load_be32(p);
        default:
            return load_be64(p);
    }
}

std::optional<number_view> find_in(const layout* l, byte_view run, std::uint32_t at,
                                   field_id id) noexcept {
    if (l == nullptr || run.size() < l->size) return std::nullopt;
    for (const field_at& where : l->fields) {
        if (where.field != id) continue;
        const std::size_t size = width(describe(id).type);
        return number_view{load(run.data() + where.offset, size), at + where.offset,
                           static_cast<std::uint8_t>(size)};
    }
    return std::nullopt;
}

std::optional<number_view> find_in_table(const message_view& m, field_id id) noexcept {
    for (const flat_field& entry : m.event->table) {
        if (entry.field != id) continue;
        const std::optional<flat_table> table = flat_table::open(m.parts.value);
        if (!table) return std::nullopt;
        const std::size_t size = width(describe(id).type);
        const std::optional<std::uint64_t> value = table->number(entry.slot, size);
        if (!value) return std::nullopt;
        const std::size_t at = m.parts.value_at + *table->find(entry.slot, size);
        return number_view{*value, static_cast<std::uint32_t>(at), static_cast<std::uint8_t>(size)};
    }
    return std::nullopt;
}

bool table_fits(const event_rule& rule, byte_view value) noexcept {
    const std::optional<flat_table> table = flat_table::open(value);
    if (!table) return false;
    return std::all_of(rule.table.begin(), rule.table.end(), [&](const flat_field& entry) {
        const field_type type = describe(entry.field).type;
        return table->fits(entry.slot, width(type), type == field_type::text);
    });
}

fault check_event(const message_view& m) noexcept {
    if (m.event == nullptr) return fault::none;
    if (m.event->key == presence::mandatory && m.parts.key.empty()) return fault::key_missing;
    if (m.parts.cut) return fault::none;
    if (m.event->value != nullptr) {
        return m.parts.value.size() == m.event->value->size ? fault::none : fault::system_event;
    }
    return table_fits(*m.event, m.parts.value) ? fault::none : fault::system_event;
}

fault check_framing(const message_view& m) noexcept {
    frame_reader frames(m.parts);
    frame_view frame;
    while (frames.next(frame)) {
    }
    return frames.broken() ? fault::framing_extras : fault::none;
}

fault check_records(const message_view& m, const decode_context& context) noexcept {
    if (m.kind() != value_kind::cache_transfer || m.parts.cut) return fault::none;
    cache_record_reader records(m, context);
    cache_record_view record;
    while (records.next(record)) {
    }
    return records.broken() ? fault::cache_record : fault::none;
}

// The lengths first, then what only the bytes tell.
fault find_fault(const message_view& m, const decode_context& context) noexcept {
    if (m.parts.malformed) return fault::parts_exceed_body;
    if (m.row == nullptr) return check_framing(m);
    header lengths = m.head;
    if (m.parts.framing_length_zero)
        lengths.framing_length = static_cast<std::uint8_t>(m.parts.framing.size());
    if (const fault found = check_lengths(lengths, *m.row); found != fault::none) return found;
    if (const fault found = check_framing(m); found != fault::none) return found;
    const key_rule& key = rule_of(*m.row, m.head).key;
    if (key.collection_prefix && context.collections == collection_keys::on &&
        !m.parts.key.empty()) {
        if (!m.key.prefixed) return fault::collection_prefix;
        if (key.is == presence::mandatory && m.key.bytes.empty() && m.row->described)
            return fault::key_missing;
    }
    if (const fault found = check_event(m); found != fault::none) return found;
    return check_records(m, context);
}

void choose_layouts(message_view& m) noexcept {
    const message_rule& rule = rule_of(*m.row, m.head);
    m.value = &value_rule_of(*m.row, m.head);
    m.extras_layout = find_layout(rule.extras, m.parts.extras.size());
    if (m.value->kind == value_kind::fixed) {
        m.value_layout = find_layout(m.value->layouts, m.parts.value_length);
    } else if (m.value->kind == value_kind::list) {
        m.value_layout = &m.value->layouts.front();
    } else if (m.value->kind == value_kind::system_event) {
        const std::optional<std::uint64_t> id = m.number(field_id::event_id);
        const std::optional<std::uint64_t> version = m.number(field_id::event_version);
        if (id && version) {
            m.event =
                find_event(static_cast<std::uint32_t>(*id), static_cast<std::uint8_t>(*version));
        }
        if (m.event != nullptr) m.value_layout = m.event->value;
    }
}

}  // namespace

std::uint64_t number_at(byte_view run, const field_at& where) noexcept {
    return load(run.data() + where.offset, width(describe(where.field).type));
}

key_view decode_key(byte_view field, std::uint32_t at, const decode_context& context) noexcept {
    key_view key{field, at, 0, 0, false};
    if (context.collections == collection_keys::off) return key;
    const varint id = read_leb128_u32(field);
    if (id.state != varint_state::complete) return key;
    key.collection = static_cast<std::uint32_t>(id.value);
    key.prefix_size = id.size;
    key.prefixed = true;
    key.bytes = field.subspan(id.size);
    key.at = at + id.size;
    return key;
}

message_view decode(byte_view message, const decode_context& context) noexcept {
    message_view m;
    const header_outcome head = parse_header(message, ~std::uint32_t{0});
    if (head.state != parse_state::complete) return m;
    m.head = head.value;
    m.parts = split(m.head, message, context);
    m.key = {m.parts.key, m.parts.key_at, 0, 0, false};
    m.row = find_opcode(m.head.kind, m.head.opcode);
    if (m.row != nullptr) {
        choose_layouts(m);
        if (rule_of(*m.row, m.head).key.collection_prefix)
            m.key = decode_key(m.parts.key, m.parts.key_at, context);
    }
    m.problem = find_fault(m, context);
    return m;
}

std::optional<number_view> message_view::find(field_id id) const noexcept {
    if (const auto found = find_in(extras_layout, parts.extras, parts.extras_at, id)) return found;
    if (kind() == value_kind::list) return std::nullopt;
    if (const auto found = find_in(value_layout, parts.value, parts.value_at, id)) return found;
    return event != nullptr ? find_in_table(*this, id) : std::nullopt;
}

std::optional<std::uint64_t> message_view::number(field_id id) const noexcept {
    const std::optional<number_view> found = find(id);
    return found ? std::optional(found->value) : std::nullopt;
}

std::optional<std::uint64_t> message_view::own_seqno() const noexcept {
    for (const field_id id : {field_id::by_seqno, field_id::commit_seqno, field_id::abort_seqno}) {
        if (const auto found = number(id)) return found;
    }
    return std::nullopt;
}

std::optional<std::uint16_t> message_view::stream_id() const noexcept {
    if (head.is_response() || parts.framing.empty()) return std::nullopt;
    frame_reader frames(parts);
    frame_view frame;
    while (frames.next(frame)) {
        if (frame.id == frame_info::stream_id && frame.data.size() == 2)
            return load_be16(frame.data.data());
    }
    return std::nullopt;
}

bool frame_reader::next(frame_view& frame) noexcept {
    if (rest_.empty() || broken_) return false;
    constexpr std::uint8_t escape = 15;
    std::size_t id = rest_[0] >> 4;
    std::size_t length = rest_[0] & 0xfU;
    std::size_t head = 1;
    for (std::size_t* number : {&id, &length}) {
        if (*number != escape) continue;
        if (head >= rest_.size()) {
            broken_ = true;
            return false;
        }
        *number += rest_[head++];
    }
    if (length > rest_.size() - head) {
        broken_ = true;
        return false;
    }
    frame = {static_cast<std::uint16_t>(id), static_cast<std::uint8_t>(head), at_,
             rest_.subspan(head, length)};
    rest_ = rest_.subspan(head + length);
    at_ += static_cast<std::uint32_t>(head + length);
    return true;
}

double frame_microseconds(std::uint16_t encoded) noexcept {
    return std::pow(encoded, 1.74) / 2;
}

bool cache_record_reader::next(cache_record_view& record) noexcept {
    if (rest_.empty() || broken_) return false;
    const layout& fixed = cache_record_layout();
    if (rest_.size() < fixed.size) {
        broken_ = true;
        return false;
    }
    record.fixed = rest_.first(fixed.size);
    record.at = at_;
    const auto read = [&](field_id id) { return find_in(&fixed, record.fixed, 0, id)->value; };
    const std::uint64_t key_length = read(field_id::cache_key_length);
    const std::uint64_t value_length = read(field_id::cache_value_length);
    record.datatype = static_cast<std::uint8_t>(read(field_id::datatype));
    if (key_length + value_length > rest_.size() - fixed.size) {
        broken_ = true;
        return false;
    }
    record.key = decode_key(rest_.subspan(fixed.size, key_length), at_ + fixed.size, context_);
    record.value = rest_.subspan(fixed.size + key_length, value_length);
    record.value_at = static_cast<std::uint32_t>(at_ + fixed.size + key_length);
    const std::size_t used = fixed.size + key_length + value_length;
    rest_ = rest_.subspan(used);
    at_ += static_cast<std::uint32_t>(used);
    return true;
}

}  // namespace cdcscope::dcp
