// Finds the next message boundary behind a hole or after a late start, in one pass.

#pragma once

#include <unordered_set>

#include "analyzer/recover/framing.h"

namespace cdcscope::recover {

// How a run of captured bytes goes on.
enum class run_end : std::uint8_t {
    open,    // more may follow
    paused,  // nothing followed for so long that the writer must have stopped here
    closed,  // a hole or the end of the stream
};

class boundary_search {
  public:
    enum class answer : std::uint8_t {
        accepted,  // a message begins at the first byte
        rejected,  // none begins within the first `bytes` bytes
        undecided,
    };
    struct outcome {
        answer what = answer::undecided;
        std::size_t bytes = 0;
    };

    // `run` is everything captured from the place in question on; `at` its position. Asked again
    // with the same `at` it goes on where it was. `bytes` of a rejection are to be taken off before
    // the next call.
    outcome look(const framing& rules, tcp::position at, byte_view run, run_end how);
    // A new run begins.
    void reset();
    [[nodiscard]] std::size_t whole_messages() const noexcept { return count_; }
    // At least one message stands at the front, and the chain ends exactly with the bytes that are
    // here.
    [[nodiscard]] bool complete_so_far(std::size_t run_size) const noexcept {
        return count_ > 0 && chain_at_ == run_size;
    }

    // The first byte is none, whatever it looks like.
    [[nodiscard]] outcome reject(const framing& rules, tcp::position at, byte_view run);

  private:
    std::size_t chain_at_ = 0;   // where the chain from the first byte has got to
    std::size_t count_ = 0;      // whole messages in it
    std::size_t edge_ = 0;       // size of the run when the chain first reached its end
    std::size_t looked_at_ = 0;  // and when it was looked at last
    std::size_t pieces_past_edge_ = 0;
    std::unordered_set<tcp::position>
        broken_;  // places from which a chain is known to break, so that none is walked twice
    tcp::position last_broken_ = tcp::no_position;
};

}  // namespace cdcscope::recover
