// The life of one TCP connection: two half streams, what the flags of its segments mean, and when a
// segment belongs to another connection on the same addresses.
#pragma once

#include <list>
#include <memory>

#include "analyzer/capture/segment.h"
#include "analyzer/tcp/half_stream.h"
#include "analyzer/tcp/recent_segments.h"

namespace cdcscope::tcp {

struct connection_identity {
    std::uint32_t id = 0;      // from 1, by first packet
    capture::endpoint client;  // see stream_consumer: certain once on_client or a SYN says so
    capture::endpoint server;
    bool roles_certain = false;  // from a SYN or a known port
    bool from_syn = false;       // its first segment has one
    frame_ref first;
};

// Counted while the connection lives; by direction.
struct segment_figures {
    std::uint64_t segments = 0, captured_bytes = 0;
    std::uint64_t duplicate_bytes = 0, conflict_bytes = 0;
    std::uint64_t duplicates = 0, retransmissions = 0, keep_alives = 0;
};

// What a connection shares with the others of its table.
struct services {
    const limits& limit;
    ring_pool& rings;
    notices& notes;
};

class connection {
  public:
    connection(const connection_identity& who, const services& shared)
        : who_(who), shared_(shared) {}

    // Before anything else.
    void attach(std::unique_ptr<stream_consumer> consumer) { consumer_ = std::move(consumer); }

    // Whether a segment of `dir` begins another connection on the same addresses (D6), or shows
    // that one began unseen.
    [[nodiscard]] bool is_stranger(const capture::segment& s, direction dir) noexcept;
    void on_segment(const capture::segment& s, direction dir, const arrival& now,
                    std::int64_t time_ns);
    void on_time(const arrival& now, std::int64_t time_ns);
    // Largest part first: the lowest hole, or what the consumer keeps.
    void relieve(const arrival& now, std::int64_t time_ns);
    void close(end_kind how, const arrival& now, std::int64_t time_ns);

    [[nodiscard]] const connection_identity& who() const noexcept { return who_; }
    [[nodiscard]] const segment_figures& figures(direction dir) const noexcept {
        return figures_[index(dir)];
    }
    [[nodiscard]] const half_stream& half(direction dir) const noexcept {
        return halves_[index(dir)];
    }
    [[nodiscard]] std::uint64_t held() const noexcept {
        return halves_[0].held() + halves_[1].held() + consumer_->held();
    }
    // FIN of both sides or RST was seen (D7).
    [[nodiscard]] bool is_closing() const noexcept {
        return rst_seen_ || (halves_[0].fin_seen() && halves_[1].fin_seen());
    }
    [[nodiscard]] bool wants_timer() const noexcept {
        return halves_[0].wants_timer() || halves_[1].wants_timer() || consumer_->wants_timer();
    }
    [[nodiscard]] std::int64_t last_time_ns() const noexcept { return last_time_ns_; }

    // The table's own marks.
    std::list<connection*>::iterator in_list;
    bool in_closing_list = false;
    bool timer_set = false;
    std::uint64_t accounted = 0;

  private:
    [[nodiscard]] surroundings with(const arrival& now, std::int64_t time_ns) {
        return {shared_.limit, shared_.rings, shared_.notes, *consumer_,
                who_.id,       now,           time_ns,       seen_};
    }
    [[nodiscard]] bool is_stray(const capture::segment& s, direction dir) const noexcept;
    void tell_behind();
    void follow_far(const capture::segment& s, direction dir) noexcept;
    void on_syn(const capture::segment& s, direction dir, surroundings& around);
    void on_payload(const capture::segment& s, direction dir, position acknowledges, bool copy,
                    surroundings& around);
    void on_rst(const capture::segment& s, direction dir, position acknowledges,
                surroundings& around);
    void note_report(const capture::segment& s, direction dir, const data_report& report,
                     bool copy);
    [[nodiscard]] position window_of(direction dir) const noexcept;

    connection_identity who_;
    services shared_;
    std::unique_ptr<stream_consumer> consumer_;
    half_stream halves_[2] = {half_stream(direction::c2s), half_stream(direction::s2c)};
    recent_segments recent_[2];
    segment_figures figures_[2];
    std::uint16_t window_[2] = {0, 0};  // as offered by the sender of the direction
    std::int8_t scale_[2] = {-1, -1};
    bool window_known_[2] = {false, false};
    bool rst_seen_ = false;
    bool behind_ = false;      // as told
    std::uint8_t strays_ = 0;  // in a row
    // Segments of a direction that lie far away and follow each other.
    struct far_run {
        std::uint32_t next = 0;
        std::uint8_t count = 0;
    };
    far_run far_[2];
    std::uint64_t seen_ = 0;
    std::int64_t last_time_ns_ = 0;
    arrival last_;
};

}  // namespace cdcscope::tcp
