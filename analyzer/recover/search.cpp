#include "analyzer/recover/search.h"

#include <algorithm>

namespace cdcscope::recover {

namespace {

// Where no number of messages is proof: how far a chain must reach past what was there when it
// reached the end.
constexpr std::size_t proven_bytes = std::size_t{64} << 10;
constexpr std::size_t proven_pieces = 2;
// Pieces of a few bytes prove little: packets in a row may still be going on.
constexpr std::size_t least_past_edge = 1024;

}  // namespace

void boundary_search::reset() {
    chain_at_ = count_ = edge_ = looked_at_ = pieces_past_edge_ = 0;
    broken_.clear();
    last_broken_ = tcp::no_position;
}

boundary_search::outcome boundary_search::reject(const framing& rules, tcp::position at,
                                                 byte_view run) {
    chain_at_ = count_ = edge_ = looked_at_ = pieces_past_edge_ = 0;
    const std::size_t next = rules.next_possible(run, 1);
    if (last_broken_ < at + static_cast<tcp::position>(next)) broken_.clear();
    return {answer::rejected, next};
}

boundary_search::outcome boundary_search::look(const framing& rules, tcp::position at,
                                               byte_view run, run_end how) {
    if (run.empty()) return {};
    const bool by_number = rules.proof() != static_cast<std::size_t>(-1);
    for (;;) {
        const byte_view rest = run.subspan(chain_at_);
        const tcp::position place = at + static_cast<tcp::position>(chain_at_);
        framing::guess g =
            rest.empty() ? framing::guess{framing::match::partial, 0} : rules.check(rest);
        if (!by_number && !broken_.empty() && broken_.contains(place)) g = {};
        if (g.verdict == framing::match::no) return reject(rules, at, run);
        if (g.verdict == framing::match::partial) break;
        if (!by_number && count_ > 0) {
            broken_.insert(place);
            last_broken_ = std::max(last_broken_, place);
        }
        chain_at_ += static_cast<std::size_t>(g.length);
        if (++count_ >= rules.proof() || (!by_number && chain_at_ >= proven_bytes))
            return {answer::accepted, 0};
    }
    // The chain has reached the end of what is here, unbroken.
    if (how == run_end::closed)
        return count_ > 0 ? outcome{answer::accepted, 0} : reject(rules, at, run);
    if (how == run_end::paused && complete_so_far(run.size())) return {answer::accepted, 0};
    if (count_ == 0) return {};
    if (edge_ == 0) {
        edge_ = run.size();
    } else if (run.size() > looked_at_) {
        ++pieces_past_edge_;
    }
    looked_at_ = run.size();
    if (!by_number && pieces_past_edge_ >= proven_pieces && run.size() - edge_ >= least_past_edge) {
        return {answer::accepted, 0};
    }
    return {};
}

}  // namespace cdcscope::recover
