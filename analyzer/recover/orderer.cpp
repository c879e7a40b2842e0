#include "analyzer/recover/orderer.h"

#include <algorithm>

namespace cdcscope::recover {

namespace {

// More than this does not wait for the end of a segment.
constexpr std::uint64_t most_unreleased = std::uint64_t{1} << 20;

// The borrowed bytes of an event, which must be copied if it waits.
byte_view* bytes_of(event& e) noexcept {
    if (auto* m = std::get_if<message>(&e.what)) return &m->bytes;
    if (auto* u = std::get_if<unparsed_run>(&e.what)) return &u->head;
    return nullptr;
}

}  // namespace

void orderer::begin(direction dir, tcp::position origin) {
    side& s = sides_[index(dir)];
    s.begun = true;
    s.origin = origin;
    s.known = std::max(s.known, origin);
}

void orderer::expect(direction dir, bool expected, tcp::position floor) {
    side& s = sides_[index(dir)];
    if (s.begun) return;
    s.origin = floor;
    s.expected = expected;
}

// A direction of which nothing was captured is not waited for, nor anything before its first byte.
bool orderer::is_free(direction dir, const event& e) const noexcept {
    const side& other = sides_[index(opposite(dir))];
    if (e.waits_for == tcp::no_position || e.waits_for <= other.origin) return true;
    if (!other.begun) return flushing_ || !other.expected;
    if (!other.queue.empty()) return other.queue.front().e.end > e.waits_for;
    return flushing_ || other.known >= e.waits_for;
}

// A repeat carries a later acknowledgement than the first copy did; so each first event may wait
// for the other's.
bool orderer::wait_for_each_other() const noexcept {
    const side& a = sides_[0];
    const side& b = sides_[1];
    if (a.queue.empty() || b.queue.empty()) return false;
    const event& first = a.queue.front().e;
    const event& second = b.queue.front().e;
    return second.end <= first.waits_for && first.end <= second.waits_for;
}

void orderer::add(direction dir, const event& e) {
    // Everything before `e` is known. What waited for that may have completed later than `e`.
    side& mine = sides_[index(dir)];
    mine.known = std::max(mine.known, e.end - 1);
    const bool others_wait = !sides_[index(opposite(dir))].queue.empty();
    if (others_wait || !mine.queue.empty() || !is_free(dir, e)) {
        enqueue(dir, e);
        if (held_ > most_unreleased) release();
        return;
    }
    mine.known = std::max(mine.known, e.end);
    to_.on_event(e);
}

void orderer::known(direction dir, tcp::position upto) {
    side& mine = sides_[index(dir)];
    mine.known = std::max(mine.known, upto);
}

void orderer::enqueue(direction dir, const event& e) {
    waiting_event& w = sides_[index(dir)].queue.emplace_back();
    w.e = e;
    if (byte_view* bytes = bytes_of(w.e)) {
        w.bytes.assign(bytes->begin(), bytes->end());
        *bytes = w.bytes;
    }
    held_ += w.bytes.size() + sizeof w;
}

void orderer::release_first(direction dir) {
    side& s = sides_[index(dir)];
    // Out of the queue first: who hears of it may ask what waits.
    std::list<waiting_event> one;
    one.splice(one.begin(), s.queue, s.queue.begin());
    held_ -= one.front().bytes.size() + sizeof(waiting_event);
    s.known = std::max(s.known, one.front().e.end);
    to_.on_event(one.front().e);
}

void orderer::release() {
    for (;;) {
        const side& a = sides_[0];
        const side& b = sides_[1];
        const bool first = !a.queue.empty() && is_free(direction::c2s, a.queue.front().e);
        const bool second = !b.queue.empty() && is_free(direction::s2c, b.queue.front().e);
        if (first != second) {
            release_first(first ? direction::c2s : direction::s2c);
        } else if (first || wait_for_each_other()) {
            const bool earlier = a.queue.front().e.done <= b.queue.front().e.done;
            release_first(earlier ? direction::c2s : direction::s2c);
        } else {
            return;
        }
    }
}

void orderer::flush() {
    flushing_ = true;
    release();
}

void orderer::give_up_waiting() {
    while (!sides_[0].queue.empty() || !sides_[1].queue.empty()) {
        const bool first = sides_[1].queue.empty() ||
                           (!sides_[0].queue.empty() &&
                            sides_[0].queue.front().e.done <= sides_[1].queue.front().e.done);
        release_first(first ? direction::c2s : direction::s2c);
    }
}

}  // namespace cdcscope::recover
