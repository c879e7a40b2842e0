// IP fragments put together again: any order, repeats, overlaps, with limits.

#pragma once

#include <compare>
#include <list>
#include <map>
#include <vector>

#include "analyzer/capture/ip.h"
#include "analyzer/capture/observation.h"

namespace cdcscope::capture {

struct fragment_limits {
    std::size_t datagrams = 4096;   // waiting at a time
    std::size_t bytes = 32U << 20;  // held by them
    // Packet time since the first fragment: an id comes round again.
    std::int64_t timeout_ns = 30'000'000'000;
};

class fragment_table {
  public:
    explicit fragment_table(observation_sink& observations, const fragment_limits& limits = {})
        : observations_(observations), limits_(limits) {}

    // Takes a fragment. When it completes its datagram, `packet` becomes the whole: its payload
    // lives until the next call. IPv4: the first copy of a byte stays. IPv6: a datagram whose
    // fragments overlap, unless they are equal, is dropped (RFC 5722).
    bool add(ip_packet& packet, const frame_ref& at);

    // The capture is over: what is incomplete is reported.
    void finish();

    [[nodiscard]] std::size_t waiting() const noexcept { return datagrams_.size(); }
    [[nodiscard]] std::size_t bytes_held() const noexcept { return held_; }

  private:
    struct key {
        address source;
        address destination;
        std::uint32_t id = 0;
        std::uint8_t protocol = 0;  // IPv6: 0, the first fragment knows it
        bool v6 = false;
        auto operator<=>(const key&) const = default;
    };
    struct piece {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };
    struct datagram {
        key id;
        frame_ref first;
        std::int64_t since_ns = 0;  // packet time that never goes back
        std::vector<std::uint8_t> bytes;
        std::vector<piece> pieces;     // sorted, apart from each other
        std::uint32_t received = 0;    // sum of the pieces
        std::uint32_t total = 0;       // 0: the last fragment is missing
        std::uint32_t captured = ~0U;  // bytes from the start without one that the snap length cut
        std::uint8_t protocol = 0;
        bool dropped = false;  // overlapped: what comes of it is swallowed until the time-out
    };
    using waiting_list = std::list<datagram>;  // by the time of the first fragment

    enum class placed : std::uint8_t { partly, complete, overlaps, nonsense };

    datagram& find(const ip_packet& packet, const frame_ref& at);
    static placed place(datagram& to, const ip_packet& packet);
    static void copy(datagram& to, const ip_packet& packet, std::uint32_t begin, std::uint32_t end);
    void drop_overlapping(datagram& d, const frame_ref& at);
    void hand_over(datagram& d, ip_packet& packet);
    void erase(waiting_list::iterator d);
    void report_incomplete(const datagram& d);
    void expire(std::int64_t now);
    void make_room(const datagram& keep);

    observation_sink& observations_;
    fragment_limits limits_;
    waiting_list waiting_;
    std::map<key, waiting_list::iterator> datagrams_;
    std::size_t held_ = 0;
    std::int64_t now_ = 0;
    std::vector<std::uint8_t> whole_;  // of the datagram handed over last
};

}  // namespace cdcscope::capture
