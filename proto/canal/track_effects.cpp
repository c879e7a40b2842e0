// What CLIENTACK and CLIENTROLLBACK do, when, and how it is undone when the server refuses them.

#include <algorithm>

#include "proto/canal/track_connection.h"
#include "proto/findings/words.h"

namespace cdcscope::canal {

using findings::sentence;

void tracker::state::push(request r) {
    if (open_.size() >= most_requests) commit(pop());
    const bool always = r.how != answered::on_error;
    const bool at_once = !always && always_open == 0;
    if (always) ++always_open;
    open_.push_back(std::move(r));
    if (at_once) apply(open_.back());
}

request tracker::state::pop() {
    request r = std::move(open_.front());
    open_.pop_front();
    if (r.how != answered::on_error) --always_open;
    return r;
}

// The silent requests that no unanswered one stands before any more take effect.
void tracker::state::apply_leading() {
    for (request& r : open_) {
        if (r.how != answered::on_error) return;
        if (!r.applied) apply(r);
    }
}

void tracker::state::apply(request& r) {
    r.applied = true;
    if (r.key == nullptr) return;
    if (is(r.type, packet_type::clientack)) {
        apply_ack(r);
    } else {
        apply_rollback(r);
    }
    still_open(*r.key);
}

// Rule 13 tells again once the sums have been below their limits.
void tracker::state::still_open(key_state& key) {
    const auto below = [&](double amount, findings::limit which) {
        return amount <= shared.limits.get(which);
    };
    if (below(static_cast<double>(key.open.size()), findings::limit::batch_count))
        key.told_count = false;
    if (below(static_cast<double>(key.open_bytes), findings::limit::batch_bytes))
        key.told_bytes = false;
    if (!key.told_count && !key.told_bytes) settle_sums(key, true);
    key.clear_doubt();
}

namespace {
std::string_view fate_text(past_batch fate) {
    return fate == past_batch::acked ? "was acknowledged before" : "was rolled back before";
}

// A rollback that found nothing to drop.
std::string empty_rollback_text(const key_state& key, std::int64_t batch, bool automatic) {
    if (batch == 0) {
        return automatic ? "the automatic rollback of a new connection found no open batch"
                         : "the client rolled back all batches while none was open";
    }
    const auto past = key.past.find(batch);
    return sentence("the client rolled back batch ", std::to_string(batch), ", which ",
                    past == key.past.end() ? "was never delivered here" : fate_text(past->second));
}
}  // namespace

void tracker::state::apply_ack(request& r) {
    key_state& key = *r.key;
    const std::int64_t n = r.batch_id;
    if (n <= 0) return;
    meet_others(key);
    const bool doubt = doubtful(key) || key.may_be_unseen(n);
    const severity level = doubt ? severity::note : severity::error;
    std::vector<findings::figure> figures{{"batchId", n}};
    add_key(figures, &key);
    const auto found = key.open.find(n);
    if (found == key.open.end()) {
        const auto past = key.past.find(n);
        const bool seen_all = from_start[0] && from_start[1];
        if (past == key.past.end() && !seen_all) return;
        const std::string_view why =
            past == key.past.end() ? "had not been handed out" : fate_text(past->second);
        if (key.last_id != 0) figures.push_back({"lastDelivered", key.last_id});
        report(code::canal_ack_unknown_batch, {level, doubt, r.at}, std::move(figures),
               sentence("the client acknowledged batch ", std::to_string(n), ", which ", why));
        return;
    }
    const std::int64_t oldest = key.open.begin()->first;
    if (oldest < n) {
        figures.push_back({"oldestOpen", oldest});
        report(code::canal_ack_out_of_order, {level, doubt, r.at}, std::move(figures),
               sentence("batch ", std::to_string(n), " was acknowledged while ",
                        std::to_string(oldest), " was still open"));
    }
    key.open_bytes -= found->second.facts.bytes;
    shared.link(found->second.facts.message, link_kind::acked_by, r.id);
    shared.link(r.id, link_kind::acks, found->second.facts.message);
    key.remember(n, past_batch::acked);
    r.acked_before = key.acked;
    key.acked = found->second.last;
    r.dropped.insert(key.open.extract(found));
}

void tracker::state::apply_rollback(request& r) {
    key_state& key = *r.key;
    meet_others(key);
    if (r.batch_id == 0) {
        // Of what was heard already some may have been handed out later.
        for (auto each = key.open.begin(); each != key.open.end();) {
            const auto next = std::next(each);
            if (each->second.facts.delivered.time_ns <= now())
                r.dropped.insert(key.open.extract(each));
            each = next;
        }
    } else if (const auto found = key.open.find(r.batch_id); found != key.open.end()) {
        r.dropped.insert(key.open.extract(found));
    }
    std::uint64_t entries = 0;
    std::uint32_t rival = 0;
    bool rival_sure = false;
    std::uint32_t unheard = 0;  // may be over, its batches are open for certain
    std::vector<std::uint64_t> ids;
    const auto look = [&](const batch& b) {
        const std::uint32_t brought_by = b.facts.connection;
        if (brought_by == id || !shared.live.contains(brought_by)) return;
        const bool sure = b.number > key.doubt && !may_be_over(brought_by);
        if (sure || !rival_sure) rival = brought_by;
        rival_sure = rival_sure || sure;
        if (!sure && b.number > key.doubt) unheard = brought_by;
    };
    if (key.users.size() > 1) {
        for (const auto& [n, each] : key.open) look(each);
    }
    for (const auto& [n, each] : r.dropped) {
        look(each);
        entries += each.facts.entries;
        if (ids.size() < most_pieces) ids.push_back(static_cast<std::uint64_t>(n));
        key.open_bytes -= each.facts.bytes;
        key.remember(n, past_batch::rolled_back);
        shared.link(each.facts.message, link_kind::dropped_by, r.id);
    }
    r.expected_before = key.expected;
    r.transaction_before = key.transaction;
    if (key.highest) key.expected = key.highest;
    key.transaction.lose();

    const bool automatic = !r.after_get;
    // Where a request may be hidden it is not known whether the rollback has taken effect.
    const bool doubt = doubtful();
    const severity level = doubt || (automatic && !rival_sure) ? severity::note
                           : rival_sure                        ? severity::error
                                                               : severity::warning;
    if (unheard != 0 && !rival_sure && !doubt && shared.in_doubt.size() < most_keys) {
        r.dropped_of = unheard;
        std::vector<rollback_in_doubt>& of = shared.in_doubt[unheard];
        if (of.size() < most_pieces)
            of.push_back(
                {id, r.id, r.at, automatic, &key, r.batch_id, r.dropped.size(), entries, ids});
    }
    const std::size_t dropped = r.dropped.size();
    std::vector<findings::figure> figures{{"batchId", r.batch_id},
                                          {"droppedBatches", std::uint64_t{dropped}},
                                          {"droppedEntries", entries}};
    add_key(figures, &key);
    if (!ids.empty()) figures.push_back({"batches", std::move(ids)});
    if (rival != 0) figures.push_back({"otherConnection", std::uint64_t{rival}});
    std::string text =
        dropped == 0 ? empty_rollback_text(key, r.batch_id, automatic)
                     : sentence(automatic ? "the automatic rollback of a new connection dropped "
                                          : "the client rolled back ",
                                dropped_text(dropped, entries));
    if (rival != 0)
        text += sentence(", while connection ", std::to_string(rival), " still works on them");
    const bool uncertain =
        doubt || (rival != 0 && !rival_sure) || (level == severity::note && key.uncertain);
    report(code::canal_rollback, {level, uncertain, r.at}, std::move(figures), std::move(text));
}

void tracker::state::undo(request& r) {
    if (!r.applied || r.key == nullptr) return;
    key_state& key = *r.key;
    const bool rollback = is(r.type, packet_type::clientrollback);
    if (const auto found = shared.in_doubt.find(r.dropped_of); found != shared.in_doubt.end())
        std::erase_if(found->second, [&](const auto& each) { return each.message == r.id; });
    for (const auto& [n, each] : r.dropped) {
        key.open_bytes += each.facts.bytes;
        key.past.erase(n);
        shared.link(each.facts.message, rollback ? link_kind::dropped_by : link_kind::acked_by, 0);
        if (!rollback) shared.link(r.id, link_kind::acks, 0);
    }
    if (rollback) {
        key.expected = r.expected_before;
        if (r.transaction_before) key.transaction = *std::move(r.transaction_before);
    } else if (!r.dropped.empty()) {
        key.acked = r.acked_before;
    }
    key.open.merge(r.dropped);
    r.dropped.clear();
    still_open(key);
}

// It succeeded: what it closed is closed for good.
void tracker::state::commit(const request& r) {
    const bool rollback = is(r.type, packet_type::clientrollback);
    for (const auto& [n, each] : r.dropped) {
        shared.tell(each, rollback ? batch_fate::rolled_back : batch_fate::acked, r.id, r.at);
        closed(each, *r.key, rollback ? "rolled back" : "acknowledged", r.at);
    }
}

}  // namespace cdcscope::canal
