#include "analyzer/report/collect_canal.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/format.h"

namespace cdcscope::report {
namespace {

constexpr std::size_t length_bytes = 4;

bool hex_digits(byte_view text) {
    return std::all_of(text.begin(), text.end(), [](std::uint8_t c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
}

void count_type(connection& c, std::string_view name) {
    const auto known = std::find_if(c.by_type.begin(), c.by_type.end(),
                                    [&](const type_count& t) { return t.name == name; });
    known == c.by_type.end() ? c.by_type.push_back({std::string(name), 1}) : void(++known->count);
}

// What is said of a value instead of the value.
std::string form_of(const canal::column_view& column) {
    if (column.is_null) return "null";
    if (column.value.empty()) return "empty";
    return plain_spaces(count(column.value.size(), "byte"));
}

std::string qualified(std::string_view schema, std::string_view table) {
    return schema.empty() ? std::string(table) : fmt::format("{}.{}", schema, table);
}

void add_once(std::vector<std::string>& names, const std::string& name, std::size_t most) {
    if (!name.empty() && names.size() < most &&
        std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
}

std::string_view event_name(std::int32_t type) {
    return canal::row_of(canal::enum_id::event_type).find(type);
}

row_sample sample_of(const canal::header_view& header, const canal::row_change_view& change,
                     byte_view row) {
    row_sample s;
    s.table = qualified(header.schema, header.table);
    s.type = event_name(change.event_type);
    s.gtid = std::string(header.gtid);
    s.ddl = change.is_ddl;
    s.sql = std::string(change.sql);
    const auto columns = [&](std::uint32_t field, auto& into, bool only_changed) {
        for (const auto bytes : canal::occurrences(row, field)) {
            const auto column = canal::parse_column(bytes);
            if (into.size() < 64 && (!only_changed || column.updated))
                into.emplace_back(std::string(column.name), form_of(column));
            if (column.is_key) add_once(s.keys, std::string(column.name), 16);
        }
    };
    namespace f = canal::fields::row_data;
    const auto deleted = s.type == "DELETE";
    columns(deleted ? f::before_columns : f::after_columns, s.columns, false);
    if (s.type != "UPDATE") return s;
    // Old values of what changed: the columns that are marked in the new row.
    std::vector<std::int32_t> changed;
    for (const auto bytes : canal::occurrences(row, f::after_columns)) {
        if (const auto column = canal::parse_column(bytes); column.updated)
            changed.push_back(column.index);
    }
    for (const auto bytes : canal::occurrences(row, f::before_columns)) {
        const auto column = canal::parse_column(bytes);
        if (std::find(changed.begin(), changed.end(), column.index) != changed.end())
            s.old.emplace_back(std::string(column.name), form_of(column));
    }
    return s;
}

}  // namespace

void canal_collector::on_message(connection& c, const recover::message& m,
                                 const canal::track_record& said, const canal::world& world) {
    const auto admin = c.carries == recover::protocol::canal_admin;
    const auto port = admin ? canal::port_kind::admin : canal::port_kind::data;
    const auto p =
        canal::parse_packet(m.bytes.subspan(std::min(length_bytes, m.bytes.size())), port);
    const auto name = canal::packet_type_name(port, p.type);
    count_type(c, name.empty() ? std::string_view{"unknown"} : name);
    if (m.dir == direction::s2c) c.received.add(m.frames.done.time_ns, m.wire_length);
    c.what = admin ? role::canal_admin : role::canal_client;
    if (admin || !p.ok()) return;
    if (said.key != 0) {
        c.name = std::string(world.key(said.key).client_id);
        c.target = std::string(world.destination(world.key(said.key).destination).name);
    } else if (said.destination != 0 && c.target.empty()) {
        c.target = std::string(world.destination(said.destination).name);
    }
    auto& figures = c.canal.make();
    figures.most_open = std::max<std::uint64_t>(figures.most_open, said.outstanding);
    switch (static_cast<canal::packet_type>(p.type)) {
        case canal::packet_type::messages:
            return take_batch(c, m, p, said);
        case canal::packet_type::ack:
            if (canal::parse_ack(p.body).code != 0) ++figures.errors;
            return;
        default:
            return take_request(c, m, p);
    }
}

void canal_collector::take_request(connection& c, const recover::message& m,
                                   const canal::packet_view& p) {
    if (m.dir != direction::c2s) return;
    const auto r = canal::parse_request(p.type, p.body);
    switch (static_cast<canal::packet_type>(p.type)) {
        case canal::packet_type::clientauthentication:
            return take_login(c, r);
        case canal::packet_type::get:
            asked_[c.id] = m.frames.done;
            return;
        case canal::packet_type::clientrollback:
            return c.ticks.add(tick_kind::rollback, m.frames.done.time_ns);
        case canal::packet_type::subscription:
            c.canal.make().filter_sent = true;
            c.canal.make().filter = std::string(r.filter);
            return;
        default:
            return;
    }
}

void canal_collector::take_login(connection& c, const canal::request_view& r) {
    auto& figures = c.canal.make();
    figures.user = std::string(r.username);
    figures.net_read_timeout_ms = r.net_read_timeout;
    figures.net_write_timeout_ms = r.net_write_timeout;
    if (r.password.empty()) {
        figures.password_form = "empty";
    } else {
        figures.password_form =
            r.password.size() == 40 && hex_digits(r.password) ? "40 hex digits" : "clear text";
    }
}

// ---- batches

void canal_collector::add_lag(connection& c, std::int64_t lag_ns) {
    auto& f = c.canal.make();
    f.lag_least_ns = f.has_lag ? std::min(f.lag_least_ns, lag_ns) : lag_ns;
    f.lag_most_ns = f.has_lag ? std::max(f.lag_most_ns, lag_ns) : lag_ns;
    f.lag_last_ns = lag_ns;
    f.lag_sum_ns += lag_ns / 1000 * 1000;
    f.has_lag = true;
    ++f.lag_batches;
}

void canal_collector::take_batch(connection& c, const recover::message& m,
                                 const canal::packet_view& p, const canal::track_record& said) {
    const auto batch = canal::parse_messages(p.body);
    if (batch.batch_id <= 0) {
        ++c.canal.make().empty_polls;
        c.ticks.add(tick_kind::empty_poll, m.frames.done.time_ns);
        return;
    }
    c.ticks.add(tick_kind::data, m.frames.done.time_ns);
    ++c.canal.make().batches;
    if (said.has_lag) add_lag(c, said.lag_ns);
    batch_row row;
    row.connection = c.id;
    row.destination = c.target;
    row.client_id = c.name;
    row.batch = static_cast<std::uint64_t>(batch.batch_id);
    row.delivered = m.frames.done;
    if (const auto asked = asked_.find(c.id); asked != asked_.end()) {
        row.asked = asked->second;
        asked_.erase(asked);
    }
    row.has_lag = said.has_lag;
    row.lag_ns = said.lag_ns;
    row.bytes = m.wire_length;
    for (const auto entry : canal::occurrences(p.body, canal::fields::messages::messages))
        take_entry(c, row, entry);
    auto& figures = c.canal.make();
    figures.entries += row.entries;
    figures.rows += row.rows;
    figures.ddl += row.ddl;
    const batch_key key{c.id, batch.batch_id, row.delivered.file, row.delivered.frame};
    open_[key] = batches_.add(std::move(row));
}

void canal_collector::take_entry(connection& c, batch_row& row, byte_view bytes) {
    const auto entry = canal::parse_entry(bytes);
    const auto position =
        static_cast<std::uint64_t>(std::max<std::int64_t>(entry.header.logfile_offset, 0));
    if (row.entries++ == 0) {
        row.journal = std::string(entry.header.logfile_name);
        row.first_position = position;
    }
    row.last_position = position;
    const auto type = static_cast<canal::entry_type>(entry.type);
    row.transaction_end = type == canal::entry_type::transactionend;
    if (type == canal::entry_type::rowdata) take_rows(c, row, entry.header, entry.store);
}

void canal_collector::take_rows(connection& c, batch_row& row, const canal::header_view& header,
                                byte_view store) {
    const auto change = canal::parse_row_change(store);
    const auto table = qualified(header.schema, header.table);
    add_once(row.tables, table, 8);
    add_once(c.canal.make().tables, table, 100);
    row.rows += change.rows;
    row.ddl += change.is_ddl ? 1 : 0;
    if (c.rows.size() >= cap::items) return;
    if (change.is_ddl) c.rows.push_back(sample_of(header, change, {}));
    for (const auto one : canal::occurrences(store, canal::fields::row_change::row_datas)) {
        if (c.rows.size() >= cap::items) return;
        c.rows.push_back(sample_of(header, change, one));
    }
}

// What became of a batch may be told when its connection is gone; it counts there all the same.
void canal_collector::on_batch(const canal::batch_facts& b) noexcept {
    auto* c = b.connection == 0 || b.connection > m_.connections.size()
                  ? nullptr
                  : &m_.connections[b.connection - 1];
    if (c != nullptr) {
        auto& figures = c->canal.make();
        figures.acknowledged += b.fate == canal::batch_fate::acked ? 1 : 0;
        figures.rolled_back += b.fate == canal::batch_fate::rolled_back ? 1 : 0;
        figures.open += b.fate == canal::batch_fate::open ? 1 : 0;
    }
    if (b.fate == canal::batch_fate::acked && b.id > 0)
        newest_acked_[b.key] = {static_cast<std::uint64_t>(b.id), b.newest_execute_ms};
    const auto found = open_.find({b.connection, b.id, b.delivered.file, b.delivered.frame});
    if (found == open_.end()) return;
    auto* const kept = batches_.find(found->second);
    open_.erase(found);
    if (kept == nullptr) return;
    auto& row = *kept;
    constexpr batch_state states[] = {batch_state::open, batch_state::acknowledged,
                                      batch_state::rolled_back, batch_state::forgotten};
    row.state = states[static_cast<std::size_t>(b.fate)];
    if (b.fate != canal::batch_fate::open) row.finished = b.closed;
    row.repeated = b.redelivered;
}

void canal_collector::on_transaction(const canal::transaction_facts& t) noexcept {
    if (t.batches.size() < 2) return;
    if (transactions_.size() >= cap::transactions) {
        ++m_.transactions_left_out;
        return;
    }
    split_transaction s;
    s.id = std::string(t.id);
    s.batches.assign(t.batches.begin(), t.batches.end());
    s.rows = t.rows;
    s.at = t.at;
    transactions_.push_back({t.key, std::move(s)});
}

void canal_collector::on_closed(connection& c) {
    asked_.erase(c.id);
    if (c.what != role::canal_client)
        c.what =
            c.carries == recover::protocol::canal_admin ? role::canal_admin : role::canal_client;
}

void canal_collector::name_transactions(const canal::world& world) {
    if (transactions_.empty()) return;
    std::map<std::tuple<std::string_view, std::string_view, std::int64_t>, batch_row*> rows;
    for (auto& b : m_.batches)
        rows[{b.destination, b.client_id, static_cast<std::int64_t>(b.batch)}] = &b;
    for (auto& t : transactions_) {
        if (t.key != 0 && t.key <= world.keys()) {
            const auto key = world.key(t.key);
            t.what.client_id = std::string(key.client_id);
            t.what.destination = std::string(world.destination(key.destination).name);
        }
        for (const auto id : t.what.batches) {
            const auto found = rows.find({t.what.destination, t.what.client_id, id});
            if (found != rows.end() && found->second->transaction.empty())
                found->second->transaction = t.what.id;
        }
        m_.transactions.push_back(std::move(t.what));
    }
}

void canal_collector::finish(const canal::world& world) {
    m_.batches_left_out = batches_.left_out();
    m_.batches = batches_.take();
    name_transactions(world);
    for (std::uint32_t i = 1; i <= world.keys(); ++i) {
        const auto key = world.key(i);
        if (key.acked_file.empty()) continue;
        if (m_.positions.size() >= cap::positions) {
            ++m_.positions_left_out;
            continue;
        }
        const auto destination = world.destination(key.destination);
        canal_position p;
        p.server = std::string(destination.server);
        p.destination = std::string(destination.name);
        p.client_id = std::string(key.client_id);
        p.journal = std::string(key.acked_file);
        p.position = static_cast<std::uint64_t>(std::max<std::int64_t>(key.acked_offset, 0));
        if (const auto newest = newest_acked_.find(i); newest != newest_acked_.end())
            std::tie(p.batch, p.executed_ms) = newest->second;
        m_.positions.push_back(std::move(p));
    }
}

}  // namespace cdcscope::report
