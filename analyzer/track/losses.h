// What the connections of a capture lack, added up by kind: what commands warn of.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "analyzer/recover/message.h"

namespace cdcscope::track {

// Losses of one kind. `at` and `connection` are those of the first.
struct loss {
    std::uint64_t count = 0, bytes = 0, connections = 0;
    std::uint32_t connection = 0;
    frame_ref at;

    void add(std::uint32_t where, const frame_ref& when, std::uint64_t how_much);
    void add(const loss& other);
};

struct connection_losses {
    std::uint32_t id = 0;
    frame_ref first;               // its first packet
    bool ours = false;             // speaks one of our protocols
    bool late_start = false;       // a direction with bytes begins without its SYN
    loss holes;                    // never captured
    loss given_up;                 // to stay within the memory limit
    std::uint64_t unreadable = 0;  // bytes beside holes
    bool ends_in_hole = false;     // nothing came behind the last one
    std::uint64_t snaplen_messages = 0;
    bool seen[2] = {false, false};  // by direction: a packet of it
};

struct losses {
    loss holes, given_up, late_starts;
    std::uint64_t unreadable = 0, snaplen_messages = 0;
    bool ends_in_hole = false;
    std::uint64_t ours = 0, one_sided = 0, from_server = 0;  // connections
    frame_ref one_sided_at;                                  // first packet of the first of those

    // Once it is over. Of connections that are not ours only what the memory limit took counts.
    void add(const connection_losses& c);
};

// Follows the connections that are open.
class loss_watch {
  public:
    void on_connection(const recover::connection_info& c);
    void on_gap(const recover::gap& g);
    void on_unparsed(const recover::unparsed_run& u);
    void on_totals(std::uint32_t connection, const recover::direction_totals& c2s,
                   const recover::direction_totals& s2c);

    [[nodiscard]] const losses& all() const noexcept { return all_; }

  private:
    struct open_connection {
        connection_losses so_far;
        bool from_start[2] = {false, false};
        // By direction. Offset behind the last hole, and behind what was unreadable there.
        std::uint64_t hole_end[2] = {0, 0}, beside_end[2] = {0, 0};
        recover::gap_reason why[2] = {};        // of that hole
        std::uint64_t before_hole[2] = {0, 0};  // unreadable bytes whose hole is still to come
    };
    std::unordered_map<std::uint32_t, open_connection> open_;
    losses all_;
};

}  // namespace cdcscope::track
