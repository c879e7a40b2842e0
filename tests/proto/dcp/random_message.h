// Messages made from the layout table with random field values: the other half of the round trip.
#pragma once

#include <map>
#include <random>
#include <vector>

#include "proto/dcp/names.h"
#include "proto/dcp/opcodes.h"

namespace cdcscope::test {

using dcp::field_id;

// What was put in, to be found again.
struct made_message {
    std::vector<std::uint8_t> bytes;
    std::map<field_id, std::uint64_t> numbers;               // of extras and fixed values
    std::vector<std::map<field_id, std::uint64_t>> records;  // of lists
    std::vector<std::uint8_t> framing, extras, key, value;
    std::uint32_t collection = 0;
    std::size_t prefix_size = 0;
};

// What to make: one variant of one row.
struct recipe {
    const dcp::opcode_row* row = nullptr;
    dcp::magic kind = dcp::magic::request;
    const dcp::layout* extras = nullptr;  // null: none
    const dcp::layout* value = nullptr;   // fixed values, lists
    const dcp::event_rule* event = nullptr;
    const dcp::value_rule* value_rule = nullptr;
    std::uint16_t status = 0;
    std::uint8_t datatype = 0;
};

class maker {
  public:
    explicit maker(std::uint32_t seed) : random_(seed) {}

    std::uint64_t number(std::size_t width) {
        const std::uint64_t all = std::uniform_int_distribution<std::uint64_t>()(random_);
        const unsigned choice = below(4);  // the ends are as likely as everything between
        const std::uint64_t value = choice == 0 ? 0 : choice == 1 ? ~std::uint64_t{0} : all;
        return width == 8 ? value : value & ((std::uint64_t{1} << (8 * width)) - 1);
    }
    unsigned below(unsigned limit) {
        return std::uniform_int_distribution<unsigned>(0, limit - 1)(random_);
    }
    std::vector<std::uint8_t> text(std::size_t size) {
        std::vector<std::uint8_t> out(size);
        for (auto& b : out) b = static_cast<std::uint8_t>('a' + below(26));
        return out;
    }

    made_message make(const recipe& what) {
        made_message m;
        if (has_framing(what.kind)) m.framing = {0x22, 0x00, 0x64};
        if (what.kind == dcp::magic::alt_response) m.framing = {0x02, 0x00, 0x10};
        if (what.extras != nullptr) m.extras = fields(*what.extras, m.numbers, what.event);
        const bool is_response = dcp::is_response(what.kind);
        make_key(is_response ? what.row->response.key : what.row->request.key, what, m);
        make_value(what, m);
        assemble(what, m);
        return m;
    }

  private:
    std::vector<std::uint8_t> fields(const dcp::layout& l,
                                     std::map<field_id, std::uint64_t>& numbers,
                                     const dcp::event_rule* event = nullptr) {
        std::vector<std::uint8_t> out(l.size);
        for (const dcp::field_at& where : l.fields) {
            const std::size_t width = dcp::width(dcp::describe(where.field).type);
            std::uint64_t value = number(width);
            if (event != nullptr && where.field == field_id::event_id) value = event->event;
            if (event != nullptr && where.field == field_id::event_version) value = event->version;
            numbers[where.field] = value;
            for (std::size_t i = 0; i < width; ++i) {
                out[where.offset + i] = static_cast<std::uint8_t>(value >> (8 * (width - 1 - i)));
            }
        }
        return out;
    }

    void make_key(const dcp::key_rule& rule, const recipe& what, made_message& m) {
        const bool needed = rule.is == dcp::presence::mandatory ||
                            (what.event != nullptr && what.event->key == dcp::presence::mandatory);
        if (rule.is == dcp::presence::never || (!needed && below(2) == 0)) return;
        if (rule.collection_prefix) {
            m.collection = static_cast<std::uint32_t>(number(4));
            std::uint32_t rest = m.collection;
            do {
                m.key.push_back(
                    static_cast<std::uint8_t>((rest & 0x7fU) | (rest > 0x7f ? 0x80U : 0U)));
                rest >>= 7;
            } while (rest != 0);
            m.prefix_size = m.key.size();
        }
        const auto name = text(1 + below(240));
        m.key.insert(m.key.end(), name.begin(), name.end());
    }

    void make_value(const recipe& what, made_message& m) {
        if (what.event != nullptr && what.event->value != nullptr) {
            m.value = fields(*what.event->value, m.numbers);
        } else if (what.event != nullptr) {
            m.value = flat(*what.event, m.numbers);
        } else if (what.value_rule != nullptr &&
                   what.value_rule->kind == dcp::value_kind::cache_transfer) {
            for (unsigned i = 0; i < 3; ++i) cache_record(m);
        } else if (what.value != nullptr && what.value_rule->kind == dcp::value_kind::list) {
            const unsigned count =
                what.value_rule->is == dcp::presence::mandatory ? 1 + below(25) : below(25);
            for (unsigned i = 0; i < count; ++i) {
                m.records.emplace_back();
                const auto one = fields(*what.value, m.records.back());
                m.value.insert(m.value.end(), one.begin(), one.end());
            }
        } else if (what.value != nullptr) {
            m.value = fields(*what.value, m.numbers);
        } else if (what.value_rule != nullptr && what.value_rule->is != dcp::presence::never) {
            m.value = text(below(300));
        }
    }

    void cache_record(made_message& m) {
        m.records.emplace_back();
        auto fixed = fields(dcp::cache_record_layout(), m.records.back());
        const auto key = text(2 + below(60));
        const auto value = text(below(100));
        store_be32(&fixed[24], static_cast<std::uint32_t>(value.size()));
        store_be16(&fixed[36], static_cast<std::uint16_t>(key.size()));
        m.records.back()[field_id::cache_value_length] = value.size();
        m.records.back()[field_id::cache_key_length] = key.size();
        for (const auto* part : {&std::as_const(fixed), &key, &value})
            m.value.insert(m.value.end(), part->begin(), part->end());
    }

    // vtable, table, strings; a slot is left out now and then.
    std::vector<std::uint8_t> flat(const dcp::event_rule& rule,
                                   std::map<field_id, std::uint64_t>& numbers) {
        const std::size_t slots = rule.table.back().slot + 1U;
        const std::size_t vtable = 4;
        const std::size_t table = vtable + 4 + 2 * slots;
        std::vector<std::uint8_t> out(table + 4);
        const auto put16 = [&](std::size_t at, std::size_t v) {
            out[at] = static_cast<std::uint8_t>(v);
            out[at + 1] = static_cast<std::uint8_t>(v >> 8);
        };
        put16(0, table);
        put16(vtable, 4 + 2 * slots);
        put16(table, table - vtable);
        for (const dcp::flat_field& entry : rule.table) {
            const dcp::field_type type = dcp::describe(entry.field).type;
            if (below(4) == 0) continue;
            put16(vtable + 4 + 2U * entry.slot, out.size() - table);
            if (type == dcp::field_type::text) {
                const auto name = text(1 + below(30));
                for (const std::size_t v :
                     {std::size_t{4}, name.size()}) {  // offset to the length, the length
                    for (int i = 0; i < 4; ++i)
                        out.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
                }
                out.insert(out.end(), name.begin(), name.end());
                out.push_back(0);
                continue;
            }
            const std::size_t width = dcp::width(type);
            const std::uint64_t value = number(width);
            numbers[entry.field] = value;
            for (std::size_t i = 0; i < width; ++i)
                out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
        }
        put16(vtable + 2, out.size() - table);
        return out;
    }

    void assemble(const recipe& what, made_message& m) {
        auto& b = m.bytes;
        b.resize(24);
        b[0] = static_cast<std::uint8_t>(what.kind);
        b[1] = what.row->opcode;
        if (has_framing(what.kind)) {
            b[2] = static_cast<std::uint8_t>(m.framing.size());
            b[3] = static_cast<std::uint8_t>(m.key.size());
        } else {
            store_be16(&b[2], static_cast<std::uint16_t>(m.key.size()));
        }
        b[4] = static_cast<std::uint8_t>(m.extras.size());
        b[5] = what.datatype;
        store_be16(&b[6], dcp::is_response(what.kind) ? what.status
                                                      : static_cast<std::uint16_t>(number(2)));
        store_be32(&b[8], static_cast<std::uint32_t>(m.framing.size() + m.extras.size() +
                                                     m.key.size() + m.value.size()));
        store_be32(&b[12], static_cast<std::uint32_t>(number(4)));
        store_be64(&b[16], number(8));
        for (const auto* part : {&m.framing, &m.extras, &m.key, &m.value})
            b.insert(b.end(), part->begin(), part->end());
    }

    std::mt19937 random_;
};

// Every variant of every row: each extras layout with each value layout, requests and responses,
// each special status.
inline std::vector<recipe> all_recipes() {
    std::vector<recipe> out;
    const auto add_values = [&](recipe r, const dcp::value_rule& rule) {
        r.value_rule = &rule;
        if (rule.kind == dcp::value_kind::system_event) {
            for (const dcp::event_rule& event : dcp::event_rules()) {
                r.event = &event;
                out.push_back(r);
            }
            return;
        }
        const bool marker_v1 = r.row->opcode == 0x56 && r.extras != nullptr && r.extras->size == 20;
        if (marker_v1) r.value_rule = nullptr;
        if (rule.layouts.empty() || marker_v1) return out.push_back(r);
        for (const dcp::layout& l : rule.layouts) {
            r.value = &l;
            out.push_back(r);
        }
    };
    const auto add_extras = [&](recipe r, const dcp::message_rule& rule) {
        std::vector<const dcp::layout*> variants;
        for (const dcp::layout& l : rule.extras) variants.push_back(&l);
        if (variants.empty()) variants.push_back(nullptr);
        for (const dcp::layout* l : variants) {
            r.extras = l;
            add_values(r, rule.value);
        }
        if (!dcp::is_response(r.kind)) return;
        r.extras = nullptr;
        for (const dcp::status_value& special : rule.by_status) {
            r.status = special.status;
            add_values(r, special.value);
        }
    };
    const auto add = [&](const dcp::opcode_row& row, dcp::magic request, dcp::magic response) {
        add_extras({.row = &row, .kind = request}, row.request);
        add_extras({.row = &row, .kind = response}, row.response);
    };
    for (const dcp::opcode_row& row : dcp::client_opcodes()) {
        add(row, dcp::magic::request, dcp::magic::response);
        add(row, dcp::magic::alt_request, dcp::magic::alt_response);
    }
    for (const dcp::opcode_row& row : dcp::push_opcodes())
        add(row, dcp::magic::push, dcp::magic::push_response);
    return out;
}

}  // namespace cdcscope::test
