// Causal order of the two directions of a connection: what one side had acknowledged when it sent a
// message goes before that message.
#pragma once

#include <list>
#include <variant>
#include <vector>

#include "analyzer/recover/message.h"

namespace cdcscope::recover {

struct stream_end {
    std::uint32_t connection = 0;
    direction dir = direction::c2s;
    end_kind how = end_kind::fin;
    frame_ref at;
};

// A hole that has no end yet.
struct missing {
    std::uint32_t connection = 0;
    direction dir = direction::c2s;
    std::uint64_t offset = 0;
};

// Something that has a place in the order.
struct event {
    tcp::position end = 0;                       // others wait for it if they acknowledge this much
    tcp::position waits_for = tcp::no_position;  // acknowledged by the segment that completed it
    std::uint64_t done = 0;                      // when it was complete: order of segments
    std::variant<message, gap, unparsed_run, stream_end, missing> what;
};

class event_sink {
  public:
    event_sink() = default;
    event_sink(const event_sink&) = delete;
    event_sink& operator=(const event_sink&) = delete;
    virtual ~event_sink() = default;
    virtual void on_event(const event& e) = 0;
};

class orderer {
  public:
    explicit orderer(event_sink& to) : to_(to) {}

    // Nothing that was acknowledged below this is waited for: the stream begins here.
    void begin(direction dir, tcp::position origin);
    // Before begin(): whether something was captured of `dir`, or may still be. If so it is waited
    // for, wherever it begins above `floor`. Not so at first.
    void expect(direction dir, bool expected, tcp::position floor);
    // Events of one direction in stream order. What cannot go yet is copied; it goes with the next
    // release().
    void add(direction dir, const event& e);
    // Every event of `dir` that ends at or below `upto` has been added.
    void known(direction dir, tcp::position upto);
    // All that is free goes, the one completed first before the others. To be called when a segment
    // has been worked off: what it lets out of a hole, it lets out piece by piece.
    void release();
    // Everything goes, in order of completion as far as acknowledgements allow: nothing more will
    // come.
    void flush();
    // Everything goes at once: there is no room to wait (I1).
    void give_up_waiting();

    [[nodiscard]] std::uint64_t held() const noexcept { return held_; }
    [[nodiscard]] bool waiting(direction dir) const noexcept {
        return !sides_[index(dir)].queue.empty();
    }

  private:
    struct waiting_event {
        event e;
        std::vector<std::uint8_t> bytes;
    };
    struct side {
        bool begun = false;
        bool expected = false;
        tcp::position origin = tcp::no_position;  // before begin(): nothing lies below
        tcp::position known = tcp::no_position;
        std::list<waiting_event> queue;
    };

    [[nodiscard]] bool is_free(direction dir, const event& e) const noexcept;
    [[nodiscard]] bool wait_for_each_other() const noexcept;
    void release_first(direction dir);
    void enqueue(direction dir, const event& e);

    event_sink& to_;
    side sides_[2];
    bool flushing_ = false;
    std::uint64_t held_ = 0;
};

}  // namespace cdcscope::recover
