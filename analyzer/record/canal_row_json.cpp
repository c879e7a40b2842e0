// Field by field what the connector's MQMessageUtils makes of an entry; keys in its order, too.
#include "analyzer/record/canal_row_json.h"

#include <algorithm>

#include "proto/canal/walk.h"

namespace cdcscope::record {

using namespace canal;

namespace {

// Above so many columns names are looked up by hash.
constexpr std::size_t many_columns = 64;

std::int64_t milliseconds(std::int64_t ns) noexcept {
    return ns / 1'000'000;
}

bool has_rows(event_type type) noexcept {
    return type == event_type::insert || type == event_type::update || type == event_type::delete_;
}

}  // namespace

canal_row_json::canal_row_json(const options& chosen) : options_(chosen), values_(chosen) {
    out_.int64_as_strings(chosen.int64_as_strings);
}

std::string_view canal_row_json::write_row(const entry_view& e, const entry_origin& from) {
    const row_change_view change = parse_row_change(e.store);
    const std::string_view name = row_of(enum_id::event_type).find(change.event_type);
    // A number without a name: canal's converter takes it for the default and gives the rows of an
    // UPDATE. So do we, but say the number.
    const auto type =
        name.empty() ? event_type::update : static_cast<event_type>(change.event_type);
    slots_.clear();
    by_name_.clear();
    keys_.clear();
    row_ = 0;
    out_.clear();
    out_.begin_object();
    if (!change.is_ddl && has_rows(type)) {
        write_data(e, type);
    } else {
        out_.name("data").null();
    }
    values_.write_text(out_.name("database"), e.header.schema);
    out_.name("es").int64(e.header.execute_time);
    values_.write_text(out_.name("gtid"), e.header.gtid);
    out_.name("id").int64(from.batch_id);
    out_.field("isDdl", change.is_ddl);
    write_types();
    if (!change.is_ddl && type == event_type::update) {
        write_old(e);
    } else {
        out_.name("old").null();
    }
    out_.name("pkNames");
    if (keys_.empty()) {
        out_.null();
    } else {
        out_.begin_array();
        for (const std::string_view key : keys_) values_.write_text(out_, key);
        out_.end_array();
    }
    out_.name("sql");
    if (values_.hides(false) && !change.sql.empty()) {
        values_.write_redacted(out_, change.sql.size());
    } else {
        values_.write_text(out_, change.sql);
    }
    out_.name("sqlType");
    if (slots_.empty()) {
        out_.null();
    } else {
        out_.begin_object();
        for (const slot& s : slots_) {
            values_.write_name(out_, s.name);
            out_.number(s.sql_type);
        }
        out_.end_object();
    }
    values_.write_text(out_.name("table"), e.header.table);
    out_.name("ts").int64(milliseconds(from.time_ns));
    out_.field("type",
               name.empty() ? "EVENT_" + std::to_string(change.event_type) : std::string(name));
    write_position(e, from);
    out_.end_object();
    return out_.text();
}

void canal_row_json::write_types() {
    out_.name("mysqlType");
    if (slots_.empty()) {
        out_.null();
        return;
    }
    out_.begin_object();
    for (const slot& s : slots_) {
        values_.write_name(out_, s.name);
        values_.write_text(out_, s.mysql_type);
    }
    out_.end_object();
}

std::size_t canal_row_json::slot_of(std::string_view name, std::size_t guess) {
    if (guess < slots_.size() && slots_[guess].name == name) return guess;
    if (slots_.size() < many_columns) {
        const auto found = std::find_if(slots_.begin(), slots_.end(),
                                        [&](const slot& s) { return s.name == name; });
        if (found != slots_.end()) return static_cast<std::size_t>(found - slots_.begin());
    } else {
        if (by_name_.empty()) {
            for (std::size_t i = 0; i < slots_.size(); ++i) by_name_.emplace(slots_[i].name, i);
        }
        const auto [found, fresh] = by_name_.try_emplace(name, slots_.size());
        if (!fresh) return found->second;
    }
    slots_.push_back({name, 0, {}, 0, 0, false});
    return slots_.size() - 1;
}

// The columns of one side of a row into cells_; of a name that comes twice the last value counts.
void canal_row_json::read_row(byte_view row, std::uint32_t side) {
    cells_.clear();
    ++row_;
    std::size_t guess = 0;
    for (const byte_view bytes : occurrences(row, side)) {
        const column_view column = parse_column(bytes);
        const std::size_t at = slot_of(column.name, guess++);
        slot& s = slots_[at];
        if (s.row == row_) {
            cells_[s.value].column = column;
            continue;
        }
        s.row = row_;
        s.value = cells_.size();
        cells_.push_back({at, column});
    }
}

void canal_row_json::write_cells(bool updated_only) {
    out_.begin_object();
    for (const cell& c : cells_) {
        if (updated_only && !slots_[c.slot].updated) continue;
        values_.write_name(out_, c.column.name);
        if (c.column.is_null) {
            out_.null();
        } else if (values_.hides(c.column.is_key)) {
            values_.write_redacted(out_, c.column.value.size());
        } else {
            values_.write_column(out_, c.column.value, c.column.sql_type);
        }
    }
    out_.end_object();
}

void canal_row_json::write_data(const entry_view& e, event_type type) {
    const std::uint32_t side = type == event_type::delete_ ? fields::row_data::before_columns
                                                           : fields::row_data::after_columns;
    bool any = false;
    bool first_row = true;
    out_.name("data");
    for (const byte_view row : occurrences(e.store, fields::row_change::row_datas)) {
        read_row(row, side);
        for (const cell& c : cells_) {
            slots_[c.slot].sql_type = c.column.sql_type;
            slots_[c.slot].mysql_type = c.column.mysql_type;
            if (first_row && c.column.is_key) keys_.push_back(c.column.name);
        }
        first_row = false;
        if (cells_.empty()) continue;
        if (!any) out_.begin_array();
        any = true;
        write_cells(false);
    }
    if (any) {
        out_.end_array();
    } else {
        out_.null();
    }
}

// The set of updated columns grows over the rows of the entry, as upstream: a later row may show
// one that only an earlier changed.
void canal_row_json::write_old(const entry_view& e) {
    const std::size_t types = slots_.size();
    bool any = false;
    out_.name("old");
    for (const byte_view row : occurrences(e.store, fields::row_change::row_datas)) {
        std::size_t guess = 0;
        for (const byte_view bytes : occurrences(row, fields::row_data::after_columns)) {
            const column_view column = parse_column(bytes);
            const std::size_t at = slot_of(column.name, guess++);
            if (column.updated) slots_[at].updated = true;
        }
        read_row(row, fields::row_data::before_columns);
        if (!any) out_.begin_array();
        any = true;
        write_cells(true);
    }
    if (any) {
        out_.end_array();
    } else {
        out_.null();
    }
    slots_.resize(types);  // names that only before images have are no part of the types
}

void canal_row_json::write_position(const entry_view& e, const entry_origin& from) {
    out_.name("position").begin_object();
    values_.write_text(out_.name("journalName"), e.header.logfile_name);
    out_.name("position").int64(e.header.logfile_offset);
    out_.name("serverId").int64(e.header.server_id);
    out_.end_object();
    if (from.row_offset != 0) out_.field("rowOffset", from.row_offset);
    if (from.why != fault::none) out_.field("malformed", text(from.why));
}

std::string_view canal_row_json::write_event(const entry_view& e, const entry_origin& from,
                                             const transaction_sum* sum) {
    const auto type = static_cast<entry_type>(e.type);
    out_.clear();
    out_.begin_object();
    switch (type) {
        case entry_type::transactionbegin:
            out_.field("event", "transaction_begin");
            break;
        case entry_type::transactionend:
            out_.field("event", "transaction_end");
            break;
        case entry_type::heartbeat:
            out_.field("event", "heartbeat");
            break;
        case entry_type::gtidlog:
            out_.field("event", "gtid");
            break;
        default:
            out_.field("event", "entry_type_" + std::to_string(e.type));
            break;
    }
    out_.name("id").int64(from.batch_id);
    out_.name("es").int64(e.header.execute_time);
    out_.name("ts").int64(milliseconds(from.time_ns));
    if (!e.header.gtid.empty()) values_.write_text(out_.name("gtid"), e.header.gtid);
    if (type == entry_type::transactionbegin || type == entry_type::transactionend) {
        const transaction_view t = parse_transaction(e.type, e.store);
        if (t.thread_id != 0) out_.name("threadId").int64(t.thread_id);
        if (!t.transaction_id.empty())
            values_.write_text(out_.name("transactionId"), t.transaction_id);
    } else if (type == entry_type::gtidlog) {
        const pair_view pair = parse_pair(e.store);
        values_.write_text(out_.name("key"), pair.key);
        values_.write_text(out_.name("value"), pair.value);
    } else if (!e.store.empty()) {
        out_.name("storeValueBase64");
        options_.redact == redact_mode::nothing ? void(out_.base64(e.store))
                                                : values_.write_redacted(out_, e.store.size());
    }
    if (sum != nullptr) {
        out_.name("batches").begin_array();
        for (const std::int64_t batch : sum->batches) out_.int64(batch);
        out_.end_array();
        out_.field("rows", sum->rows);
    }
    write_position(e, from);
    out_.end_object();
    return out_.text();
}

}  // namespace cdcscope::record
