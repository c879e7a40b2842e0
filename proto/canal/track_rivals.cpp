// Two connections of one client or destination: what depends on whether the other was still there,
// told once it is heard again (rules 10 and 17).
#include <algorithm>
#include <iterator>
#include <utility>

#include "proto/canal/track_connection.h"
#include "proto/findings/words.h"

namespace cdcscope::canal {

using findings::printable;
using findings::sentence;

namespace {

// Takes out what was said of connection `id` up to `now`. What was said later is heard already, for
// this one is heard late, and waits on.
template <typename InDoubt>
std::vector<InDoubt> due(std::unordered_map<std::uint32_t, std::vector<InDoubt>>& all,
                         std::uint32_t id, std::int64_t now) {
    std::vector<InDoubt> out;
    const auto found = all.find(id);
    if (found == all.end()) return out;
    std::vector<InDoubt>& waiting = found->second;
    const auto later =
        std::stable_partition(waiting.begin(), waiting.end(),
                              [&](const InDoubt& each) { return each.at.time_ns <= now; });
    out.assign(std::make_move_iterator(waiting.begin()), std::make_move_iterator(later));
    waiting.erase(waiting.begin(), later);
    if (waiting.empty()) all.erase(found);
    return out;
}

}  // namespace

std::string tracker::state::dropped_text(std::size_t batches, std::uint64_t entries) {
    return sentence(std::uint64_t{batches}, findings::plural(batches, " batch", " batches"),
                    " with ", entries, findings::plural(entries, " entry", " entries"));
}

// This connection is heard: what rolled its batches back meanwhile did so while it lived.
void tracker::state::tell_rollbacks_of_mine() {
    if (!live) return;
    for (const rollback_in_doubt& each : due(shared.in_doubt, id, now())) {
        std::vector<findings::figure> figures{{"batchId", each.batch_id},
                                              {"droppedBatches", std::uint64_t{each.dropped}},
                                              {"droppedEntries", each.entries}};
        add_key(figures, each.key);
        if (!each.batches.empty()) figures.push_back({"batches", each.batches});
        figures.push_back({"otherConnection", std::uint64_t{each.by}});
        report(code::canal_rollback, {severity::error, false, each.at}, std::move(figures),
               sentence(each.automatic ? "the automatic rollback of the new connection "
                                       : "a rollback of connection ",
                        std::to_string(each.by), " had dropped ",
                        dropped_text(each.dropped, each.entries),
                        ", while this connection still worked on them"));
    }
}

void tracker::state::tell_rivals(std::vector<std::uint64_t> rivals, const std::string& destination,
                                 const key_state* key, const frame_ref& first, bool doubt) {
    std::string with = std::to_string(rivals.front());
    std::vector<findings::figure> figures;
    add_key(figures, key);
    figures.push_back({"connections", std::move(rivals)});
    report(code::canal_consumer_competing,
           {doubt ? severity::note : severity::warning, doubt, first}, std::move(figures),
           sentence("this connection and connection ", with, " both get batches of ",
                    printable(destination)));
}

// This connection is heard: who got from its destination meanwhile did so while it lived.
void tracker::state::tell_rivals_of_mine() {
    if (!live) return;
    const std::vector<rival_in_doubt> all = due(shared.rivals_in_doubt, id, now());
    std::vector<std::uint64_t> rivals;
    const rival_in_doubt* one = nullptr;
    for (const rival_in_doubt& each : all) {
        const std::uint64_t pair =
            std::uint64_t{std::min(id, each.by)} << 32 | std::max(id, each.by);
        if (!each.destination->told.insert(pair).second) continue;
        if (one == nullptr) one = &each;
        rivals.push_back(each.by);
    }
    if (one != nullptr)
        tell_rivals(std::move(rivals), one->destination->name, one->key, one->at, false);
}

}  // namespace cdcscope::canal
