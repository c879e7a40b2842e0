// MESSAGES: batch ids, positions, transactions, lag.
#include <algorithm>

#include "proto/canal/track_connection.h"
#include "proto/canal/walk.h"
#include "proto/findings/words.h"
#include "proto/wire/cursor.h"

namespace cdcscope::canal {

using findings::plural;
using findings::printable;
using findings::sentence;

// What one MESSAGES shows, entry by entry.
struct tracker::state::delivery {
    std::int64_t id = 0;
    std::uint32_t message = 0;
    std::uint64_t bytes = 0;  // of the frame
    std::uint32_t entries = 0;
    std::uint64_t rows = 0;
    std::uint64_t most_rows = 0;  // of one RowChange
    std::int64_t newest_ms = 0;
    bool may_repeat = false;  // after a rollback, a reconnect, a restart
    bool jumped = false;      // rule 12 has spoken
    bool first_position = true;
    bool repeats_unexpected = false;
    bool repeats_unsure = false;  // perhaps expected: a hole may have held the rollback
    std::uint32_t repeated = 0;
    std::int64_t first_repeated = 0;
    std::string file;  // of first_repeated
    position last;     // of its last entry
    std::uint32_t ddls = 0;
    std::string sql, table, kind;  // of the first
    std::string_view transaction;  // what is odd about it
    std::vector<transaction_facts> ended;
};

namespace {

constexpr std::int64_t ms = 1'000'000;

// Execute times beyond this overflow nanoseconds.
constexpr std::int64_t latest_ms = INT64_MAX / ms;

}  // namespace

void tracker::state::deliver(const message_input& m, const packet_view& packet,
                             const messages_view& v, key_state* key, const request* get,
                             track_record& rec) {
    if (v.batch_id == -1 && v.entries != 0) malformed("MESSAGES", "batch -1 holds entries");
    if (v.batch_id >= 1 && v.entries == 0) malformed("MESSAGES", "a batch without entries");
    if (v.batch_id == -1 && v.entries == 0) empty_poll();
    delivery d;
    d.id = v.batch_id;
    d.message = m.id;
    d.bytes = m.payload.size() + length_size;
    if (v.batch_id < 1) key = nullptr;
    if (key != nullptr) {
        meet_others(*key);
        judge_batch_id(*key, d.id, d);
    }
    read_entries(packet.body, key, d);
    judge_delivery(key, get, d, rec);
}

// It has forgotten its batches and hands out again from its stored position.
void tracker::state::restarted(key_state& key) {
    for (const auto& [n, each] : key.open) {
        key.remember(n, past_batch::rolled_back);
        shared.tell(each, batch_fate::forgotten, 0, where.done);
        closed(each, key, "forgotten by a restart", where.done);
    }
    key.open.clear();
    key.open_bytes = 0;
    key.skipped.clear();
    key.lost_gets = 0;
    key.last_id = 0;
    key.unseen_below = 0;
    still_open(key);
}

void tracker::state::judge_batch_id(key_state& key, std::int64_t batch_id, delivery& d) {
    const bool doubt = doubtful(key);
    const bool known = key.last_id != 0;
    std::vector<findings::figure> figures{{"batchId", batch_id}, {"lastBatchId", key.last_id}};
    add_key(figures, &key);
    const bool late = known && key.was_skipped(batch_id);
    const bool restart = known && !late && batch_id <= key.last_id && !heard_late(key);
    if (restart) {
        d.jumped = true;
        report(
            code::canal_batch_jump, {doubt ? severity::note : severity::warning, doubt, {}},
            std::move(figures),
            sentence("batch ", std::to_string(batch_id), " follows ", std::to_string(key.last_id),
                     " of ", key_text(&key), ": server or instance was restarted"));
        restarted(key);
    } else if (known && !late && batch_id > key.last_id + 1) {
        const auto missing = static_cast<std::uint64_t>(batch_id - key.last_id - 1);
        const bool lost = key.lost_gets >= missing;
        if (lost) key.lost_gets -= missing;
        d.jumped = true;
        const bool note = doubt || lost;
        figures.push_back({"missing", missing});
        report(
            code::canal_batch_jump, {note ? severity::note : severity::warning, doubt, {}},
            std::move(figures),
            sentence("batch ", std::to_string(batch_id), " follows ", std::to_string(key.last_id),
                     " of ", key_text(&key), ": ", missing, plural(missing, " batch", " batches"),
                     lost ? " went to a client that had stopped"
                          : " missing from the capture, or taken by another consumer"));
        if (key.skipped.size() >= most_skips) key.skipped.erase(key.skipped.begin());
        key.skipped.push_back({key.last_id + 1, batch_id - 1, doubt});
    }
    if (doubt && (!known || restart)) key.unseen_below = batch_id;
    const bool reconnected = known && key.last_connection != id;
    if (restart || reconnected) {
        if (key.highest) key.expected = key.highest;
        key.transaction.lose();
    }
    d.may_repeat = restart || reconnected || key.expected.has_value();
    if (late) {
        // The run it was skipped in falls in two.
        const auto run = std::find_if(
            key.skipped.begin(), key.skipped.end(),
            [&](const auto& each) { return each.first <= batch_id && batch_id <= each.last; });
        const skipped_batches behind{batch_id + 1, run->last, run->doubt};
        run->last = batch_id - 1;
        key.skipped.push_back(behind);
        std::erase_if(key.skipped, [](const auto& each) { return each.first > each.last; });
    }
    key.last_id = std::max(key.last_id, batch_id);
    key.last_connection = id;
    key.past.erase(batch_id);
}

void tracker::state::read_entries(byte_view body, key_state* key, delivery& d) {
    for (const byte_view entry : occurrences(body, fields::messages::messages)) {
        ++d.entries;
        read_entry(entry, key, d);
    }
}

void tracker::state::read_entry(byte_view bytes, key_state* key, delivery& d) {
    const entry_view e = parse_entry(bytes);
    const fault header = e.why != fault::none ? e.why : check_message(message_id::entry, bytes);
    const message_id stored = stored_message(e.type);
    const fault store = stored == message_id::none || header != fault::none
                            ? fault::none
                            : check_message(stored, e.store);
    if (header != fault::none) {
        malformed(sentence("entry ", d.entries, " of batch ", std::to_string(d.id)), text(header));
    } else if (store != fault::none) {
        malformed(sentence("the ", row_of(stored).name, " of entry ", d.entries, " of batch ",
                           std::to_string(d.id)),
                  text(store));
    }
    const std::int64_t executed = e.header.execute_time;
    if (executed > 0 && executed < latest_ms) d.newest_ms = std::max(d.newest_ms, executed);
    const bool row = e.type == static_cast<int>(entry_type::rowdata);
    const row_change_view change = row ? read_row_change(e, d) : row_change_view{};
    if (key == nullptr) return;
    const std::string_view file = e.header.logfile_name;
    if (!file.empty() && file.size() <= longest_name) read_position(e, *key, d);
    read_transaction(e, change, *key, d);
}

row_change_view tracker::state::read_row_change(const entry_view& e, delivery& d) {
    const row_change_view change = parse_row_change(e.store);
    d.rows += change.rows;
    d.most_rows = std::max<std::uint64_t>(d.most_rows, change.rows);
    if (change.is_ddl && d.ddls++ == 0) {
        d.sql = change.sql.substr(0, 4096);
        d.table = e.header.schema.substr(0, longest_name);
        if (!d.table.empty() && !e.header.table.empty()) d.table += '.';
        d.table += e.header.table.substr(0, longest_name);
        d.kind = row_of(enum_id::event_type).find(change.event_type);
    }
    return change;
}

void tracker::state::read_position(const entry_view& e, key_state& key, delivery& d) {
    const std::string_view file = e.header.logfile_name;
    const std::int64_t offset = e.header.logfile_offset;
    if (d.first_position && key.batch_end && !d.may_repeat && !d.jumped &&
        compare(file, offset, *key.batch_end) < 0) {
        const bool doubt = unsure(file, offset, key);
        std::vector<findings::figure> figures{{"batchId", d.id},
                                              {"journal", std::string(file)},
                                              {"position", offset},
                                              {"lastPosition", key.batch_end->offset}};
        add_key(figures, &key);
        report(code::canal_batch_jump, {doubt ? severity::note : severity::warning, doubt, {}},
               std::move(figures),
               sentence("batch ", std::to_string(d.id), " begins at ", printable(file), ":",
                        std::to_string(offset), ", below the end of the batch before"));
    }
    d.first_position = false;

    bool repeated = false;
    if (key.expected) {
        repeated = compare(file, offset, *key.expected) <= 0;
        if (repeated && heard_late(key)) d.repeats_unsure = true;
        if (!repeated) key.expected.reset();
    } else if (key.highest && compare(file, offset, *key.highest) < 0) {
        repeated = true;
        (unsure(file, offset, key) ? d.repeats_unsure : d.repeats_unexpected) = true;
    }
    if (repeated && d.repeated++ == 0) {
        d.file = file;
        d.first_repeated = offset;
    }
    const auto keep = [&](position& p) {
        if (p.file != file) p.file = file;
        p.offset = offset;
    };
    if (!key.highest) key.highest.emplace();
    if (key.highest->file.empty() || compare(file, offset, *key.highest) > 0) keep(*key.highest);
    keep(d.last);
    if (key.unsure_again && compare(file, offset, *key.unsure_again) > 0) key.unsure_again.reset();
}

// May a rollback that was not seen bring this entry again?
bool tracker::state::unsure(std::string_view file, std::int64_t offset,
                            const key_state& key) const noexcept {
    return doubtful(key) || (key.unsure_again && compare(file, offset, *key.unsure_again) <= 0);
}

// Rule 21, and the transaction as a whole.
void tracker::state::read_transaction(const entry_view& e, const row_change_view& change,
                                      key_state& key, delivery& d) const {
    transaction_state& t = key.transaction;
    const bool begin = e.type == static_cast<int>(entry_type::transactionbegin);
    if (begin) {
        if (t.open == inside::yes) d.transaction = "a transaction begins while one is open";
        t.open = inside::yes;
        t.begin_seen_ever = true;
        t.rows = 0;
        t.batches.clear();
    }
    if (change.is_ddl && t.open != inside::yes) {
        // It stands for itself: what follows begins behind it.
        t.rows = 0;
        t.batches.clear();
        return;
    }
    if (t.batches.size() < most_pieces && (t.batches.empty() || t.batches.back() != d.id))
        t.batches.push_back(d.id);
    t.rows += change.rows;
    if (e.type != static_cast<int>(entry_type::transactionend)) return;
    if (t.open == inside::no && t.begin_seen_ever)
        d.transaction = "a transaction ends that did not begin";
    if (shared.watching != nullptr) {
        transaction_facts facts;
        facts.key = key.index;
        facts.id = parse_transaction(e.type, e.store).transaction_id;
        facts.has_begin = t.open == inside::yes;
        facts.batches = t.batches;
        facts.rows = t.rows;
        facts.message = d.message;
        facts.at = where.done;
        shared.watching->on_transaction(facts);
    }
    t.open = inside::no;
    t.rows = 0;
    t.batches.clear();
}

void tracker::state::judge_delivery(key_state* key, const request* get, delivery& d,
                                    track_record& rec) {
    if (d.newest_ms != 0) {
        rec.has_lag = true;
        rec.lag_ns = now() - d.newest_ms * ms;
        const bool late = rec.lag_ns > shared.limits.ns(findings::limit::lag_time);
        const bool skewed = rec.lag_ns < -shared.limits.ns(findings::limit::lag_skew);
        std::vector<findings::figure> figures{
            {"batchId", d.id},
            {"lagMs", static_cast<double>(rec.lag_ns) / static_cast<double>(ms)}};
        add_key(figures, key);
        if (late) {
            report(code::canal_lag, {severity::warning, false, {}}, std::move(figures),
                   sentence("the newest entry of batch ", std::to_string(d.id), " is ",
                            findings::duration_text(rec.lag_ns), " old"));
        } else if (skewed) {
            report(code::canal_lag, {severity::note, false, {}}, std::move(figures),
                   sentence("the newest entry of batch ", std::to_string(d.id), " was executed ",
                            findings::duration_text(-rec.lag_ns),
                            " in the future: the clocks differ"));
        }
    }
    judge_sizes(get, d);
    if (d.ddls != 0) {
        std::vector<findings::figure> figures{
            {"batchId", d.id}, {"statements", std::uint64_t{d.ddls}}, {"sql", d.sql}};
        if (!d.table.empty()) figures.push_back({"table", d.table});
        if (!d.kind.empty()) figures.push_back({"statementType", d.kind});
        add_key(figures, key);
        report(code::canal_ddl, {severity::note, false, {}}, std::move(figures),
               sentence(std::uint64_t{d.ddls},
                        plural(d.ddls, " statement changes", " statements change"),
                        " the schema: ", printable(d.sql)));
    }
    if (key == nullptr) return;
    if (d.repeated != 0) {
        std::vector<findings::figure> figures{{"batchId", d.id},
                                              {"repeatedEntries", std::uint64_t{d.repeated}},
                                              {"journal", d.file},
                                              {"firstPosition", d.first_repeated}};
        add_key(figures, key);
        report(code::canal_batch_redelivered,
               {d.repeats_unexpected ? severity::warning : severity::note,
                !d.repeats_unexpected && d.repeats_unsure,
                {}},
               std::move(figures),
               sentence("batch ", std::to_string(d.id), " brings ", std::uint64_t{d.repeated},
                        plural(d.repeated, " entry", " entries"), " again, from ",
                        printable(d.file), ":", std::to_string(d.first_repeated)));
    }
    if (key->transaction.open == inside::yes && d.transaction.empty()) {
        d.transaction = "the batch ends inside a transaction";
    }
    if (!d.transaction.empty()) {
        std::vector<findings::figure> figures{{"batchId", d.id}};
        add_key(figures, key);
        report(code::canal_transaction_incomplete, {severity::note, false, {}}, std::move(figures),
               sentence("batch ", std::to_string(d.id), ": ", d.transaction));
    }
    enter(*key, d);
    judge_outstanding(*key);
    rec.key = key->index;
    rec.destination = key->destination->index;
    after(rec, key);
}

// It is outstanding from here on.
void tracker::state::enter(key_state& key, delivery& d) {
    batch b;
    b.number = ++key.deliveries;
    b.facts.key = key.index;
    b.facts.connection = id;
    b.facts.id = d.id;
    b.facts.message = d.message;
    b.facts.delivered = where.done;
    b.facts.bytes = d.bytes;
    b.facts.entries = d.entries;
    b.facts.rows = d.rows;
    b.facts.redelivered = d.repeated;
    b.facts.newest_execute_ms = d.newest_ms;
    b.last = d.last;
    if (!d.last.file.empty()) key.batch_end = std::move(d.last);
    if (key.open.size() < most_batches && key.open.emplace(d.id, std::move(b)).second)
        key.open_bytes += d.bytes;
    if (unacked.size() >= most_batches) unacked.pop_front();
    unacked.push_back({&key, d.id, key.deliveries, now()});
    // What the client says next may be hidden, or may have been said before.
    if (doubtful() || in_hole[index(direction::c2s)] || others_behind(key)) {
        key.begin_doubt();
    } else {
        key.clear_doubt();
    }
}

void tracker::state::judge_sizes(const request* get, const delivery& d) {
    const auto over = [&](double amount, double limit) { return amount > limit; };
    const auto bytes = static_cast<double>(d.bytes);
    const double fetch = get != nullptr ? 1024.0 * get->fetch_size : 0;
    std::vector<findings::figure> figures{{"batchId", d.id}, {"bytes", d.bytes}};
    std::string why;
    if (over(bytes, shared.limits.get(findings::limit::packet_bytes))) {
        why = "";
    } else if (fetch > 0 &&
               over(bytes, fetch * shared.limits.get(findings::limit::packet_factor))) {
        why = sentence(", the GET asked for ", std::uint64_t(fetch / 1024), " KiB");
    } else if (over(static_cast<double>(d.most_rows),
                    shared.limits.get(findings::limit::row_count))) {
        why = sentence(", one row change has ", d.most_rows, " rows");
        figures.push_back({"rows", d.most_rows});
    } else {
        return;
    }
    report(code::canal_packet_large, {severity::note, false, {}}, std::move(figures),
           sentence("batch ", std::to_string(d.id), " takes ", findings::bytes_text(d.bytes), why));
}

// Rule 13, the sums.
void tracker::state::judge_outstanding(key_state& key) {
    const double most_bytes = shared.limits.get(findings::limit::batch_bytes);
    const bool many =
        static_cast<double>(key.open.size()) > shared.limits.get(findings::limit::batch_count);
    const bool large = static_cast<double>(key.open_bytes) > most_bytes;
    const bool tell = (many && !key.told_count) || (large && !key.told_bytes);
    key.told_count = many;
    key.told_bytes = large;
    lasting_finding& sums = key.sums;
    sums.most = std::max<std::uint64_t>(sums.most, key.open.size());
    sums.most_bytes = std::max(sums.most_bytes, key.open_bytes);
    if (!tell || key.open.empty()) return;
    const batch& oldest = key.open.begin()->second;
    const bool doubt = oldest.number <= key.doubt;
    std::vector<findings::figure> figures{{"outstandingBatches", std::uint64_t{key.open.size()}},
                                          {"outstandingBytes", key.open_bytes},
                                          {"oldestOpen", oldest.facts.id}};
    add_key(figures, &key);
    // What goes on already is told once.
    const std::uint32_t finding = report(
        code::canal_batch_unacknowledged,
        {doubt ? severity::note : severity::warning, doubt, oldest.facts.delivered, sums.id == 0},
        std::move(figures),
        sentence(std::uint64_t{key.open.size()}, " batches with ",
                 findings::bytes_text(key.open_bytes), " are outstanding, the oldest is ",
                 std::to_string(oldest.facts.id)));
    if (finding == 0) return;
    sums = {.id = finding,
            .since = where.done,
            .batches = {},
            .open = 0,
            .most = key.open.size(),
            .most_bytes = key.open_bytes,
            .oldest = oldest.facts.id};
}

// Rule 22: more empty answers within a second than the limit.
void tracker::state::empty_poll() {
    constexpr std::int64_t second = 1'000'000'000;
    empty_polls.push_back(now());
    while (now() - empty_polls.front() >= second) empty_polls.pop_front();
    if (static_cast<double>(empty_polls.size()) <= shared.limits.get(findings::limit::poll_rate)) {
        told_polling = false;
        return;
    }
    empty_polls.pop_front();
    if (told_polling) return;
    told_polling = true;
    std::vector<findings::figure> figures{{"polls", std::uint64_t{empty_polls.size() + 1}}};
    add_key(figures, last_key);
    report(
        code::canal_connection_idle, {severity::note, false, {}}, std::move(figures),
        sentence(std::uint64_t{empty_polls.size() + 1}, " GETs within a second came back empty"));
}

// Of a MESSAGES that a hole cut: its batch id, if it lies before the hole.
void tracker::state::damaged_batch(byte_view head) {
    if (foreign || reset || admin() || head.size() < length_size ||
        check_frame(head, port) != match::partial)
        return;
    cursor in(head.subspan(length_size));
    std::uint64_t type = 0;
    std::uint8_t tag = in.u8();
    for (; in.ok() && (tag & 7U) == 0; tag = in.u8()) {
        const std::uint64_t value = in.varint64();
        if (tag >> 3 == fields::packet::type) type = value;
    }
    (void)in.varint64();  // length of the body
    const bool messages =
        type == static_cast<std::uint64_t>(packet_type::messages) && in.u8() == 0x08;
    delivery d;
    d.id = static_cast<std::int64_t>(in.varint64());
    if (!in.ok() || !messages || d.id < 1) return;
    const std::size_t at = first_always();
    key_state* key = at < open_.size() && is(open_[at].type, packet_type::get) ? open_[at].key
                     : named.size() == 1                                       ? last_key
                                                                               : nullptr;
    if (key == nullptr) return;
    key->uncertain = true;
    meet_others(*key);
    judge_batch_id(*key, d.id, d);
    d.bytes = read_length(head).whole();
    enter(*key, d);
}

}  // namespace cdcscope::canal
