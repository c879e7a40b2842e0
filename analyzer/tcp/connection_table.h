// Finds the connection of a segment, numbers connections, forgets them in packet time, and keeps
// what is held back within its bounds.
#pragma once

#include <bitset>
#include <deque>
#include <list>
#include <span>
#include <unordered_map>

#include "analyzer/tcp/connection.h"

namespace cdcscope::tcp {

// Makes the consumer of each new connection.
class consumer_factory {
  public:
    consumer_factory() = default;
    consumer_factory(const consumer_factory&) = delete;
    consumer_factory& operator=(const consumer_factory&) = delete;
    virtual ~consumer_factory() = default;
    // `c` outlives the consumer; it is complete but for what later segments bring.
    [[nodiscard]] virtual std::unique_ptr<stream_consumer> open(const connection& c) = 0;
};

class connection_table final : public capture::segment_sink {
  public:
    // `server_ports`: who holds one of them is the server where no SYN tells.
    connection_table(const limits& limit, std::span<const std::uint16_t> server_ports,
                     consumer_factory& factory, capture::observation_sink& observations);

    void on_segment(const capture::segment& s) override;
    // The end of the capture: every hole is final, every connection closed, in the order of their
    // numbers.
    void finish();

    // The next connection number, for connections that have no segments.
    [[nodiscard]] std::uint32_t take_number() noexcept { return ++count_; }

    [[nodiscard]] std::uint64_t held() const noexcept { return held_; }
    [[nodiscard]] std::uint64_t most_held() const noexcept { return most_held_; }
    // Connections that look at the time although nothing comes.
    [[nodiscard]] std::size_t timers() const noexcept { return timers_.size(); }
    [[nodiscard]] std::size_t open_connections() const noexcept { return connections_.size(); }

  private:
    // Both endpoints, the smaller first.
    struct tuple {
        capture::endpoint low, high;
        bool operator==(const tuple&) const = default;
    };
    struct tuple_hash {
        std::size_t operator()(const tuple& t) const noexcept;
    };
    using map = std::unordered_map<tuple, std::unique_ptr<connection>, tuple_hash>;
    struct timer {
        std::int64_t due_ns;
        tuple who;
        std::uint32_t id;
    };

    [[nodiscard]] static tuple tuple_of(const capture::segment& s) noexcept;
    connection& find(const capture::segment& s, const arrival& now);
    connection& open(const tuple& who, const capture::segment& s);
    void close(map::iterator which, end_kind how, const arrival& now);
    void settle_accounts(connection& c);
    void move_to_end(connection& c);
    void set_timer(connection& c, const tuple& who);
    void run_timers(const arrival& now);
    void forget_old(const arrival& now);
    void relieve(const arrival& now);

    limits limit_;
    std::bitset<65536> server_ports_;
    consumer_factory& factory_;
    notices notes_;
    ring_pool rings_;
    map connections_;
    tuple last_tuple_;
    connection* last_ = nullptr;   // of last_tuple_
    std::list<connection*> open_;  // the one that was silent longest first
    std::list<connection*> closing_;
    std::deque<timer> timers_;
    std::uint32_t count_ = 0;
    std::uint64_t order_ = 0;
    std::int64_t time_ns_ = 0;  // never goes back (D8)
    std::uint64_t held_ = 0, most_held_ = 0;
    std::uint64_t cannot_go_below_ = 0;  // 0: what is held can be let go
};

}  // namespace cdcscope::tcp
