// The consumer of one connection's streams: decides what it carries, cuts both directions into
// messages and hands them over in causal order.
#pragma once

#include <memory>
#include <vector>

#include "analyzer/recover/foreign.h"
#include "analyzer/recover/framer.h"
#include "analyzer/recover/options.h"

namespace cdcscope::recover {

class recovered_connection final : public tcp::stream_consumer, private event_sink {
  public:
    // `segments`: who counts them; null for exported PDUs.
    recovered_connection(const tcp::connection_identity& who, const tcp::connection* segments,
                         const options& chosen, handler& to, tcp::notices& notes);

    void on_client(direction side) override;
    void on_start(direction side, tcp::position origin, bool from_syn) override;
    void on_data(const tcp::chunk& c) override;
    void on_hole(const tcp::hole& h) override;
    void on_settled(direction side, tcp::position upto, const tcp::arrival& now) override;
    void on_end(direction side, end_kind how, tcp::position at, tcp::position acknowledges,
                const tcp::arrival& now) override;
    void on_behind(bool behind) override;
    void on_close(end_kind how, const tcp::arrival& last) override;
    [[nodiscard]] std::uint64_t held() const noexcept override;
    void on_pressure(const tcp::arrival& now) override;
    // What waits, waits no longer than packet time allows; once everything that time decides is
    // decided, it is asked no more.
    [[nodiscard]] bool wants_timer() const noexcept override { return !at_rest_ && waits(); }
    void on_time(const tcp::arrival& now) override;
    [[nodiscard]] bool wants_content() const noexcept override {
        return early_ != nullptr || framed() || (foreign_ != nullptr && !foreign_->done());
    }

    // A record of an exported PDU (H11): it begins at a message, and has no TCP numbers.
    void on_record(direction side, protocol carries, byte_view bytes, std::uint64_t wire_length,
                   const tcp::arrival& now);

  private:
    // What came before the protocol was known, in order.
    struct early_event {
        enum class kind : std::uint8_t { bytes, hole, end } what = kind::bytes;
        direction side = direction::c2s;
        tcp::position begin = 0, end = 0;
        std::size_t stored_at = 0, stored = 0;  // in early_bytes of its side
        stamp of;
        tcp::hole missing;
        end_kind how = end_kind::fin;
        tcp::position acknowledges = tcp::no_position;
    };
    struct before_decision {
        explicit before_decision(const detector& d) : detect(d) {}
        detector detect;
        std::vector<early_event> events;
        std::vector<std::uint8_t> bytes[2];  // by side
        std::size_t run_begins[2] = {0, 0};  // behind the last hole

        [[nodiscard]] byte_view run(direction side) const noexcept {
            return byte_view(bytes[index(side)]).subspan(run_begins[index(side)]);
        }
    };

    void on_event(const event& e) override;
    [[nodiscard]] bool waits() const noexcept {
        return order_.held() > 0 || framers_[0].undecided() || framers_[1].undecided();
    }
    [[nodiscard]] bool framed() const noexcept {
        return carries_ == protocol::dcp || carries_ == protocol::canal ||
               carries_ == protocol::canal_admin;
    }
    [[nodiscard]] direction of(direction side) const noexcept {
        return flipped_ ? opposite(side) : side;
    }
    void remember(const early_event& e, byte_view bytes);
    void decide_now();
    // `bytes`: the newest of `side`, if they are not among the early ones.
    void decide(const detector::verdict& v, direction side = direction::c2s, byte_view bytes = {});
    void look_at_foreign(const detector::verdict& v, direction side, byte_view bytes);
    void replay();
    void begin(direction side);
    void feed(direction side, tcp::position begin, std::uint64_t size, byte_view bytes,
              const stamp& s);
    void after(direction side, const tcp::arrival& now);
    void await_start(const tcp::arrival& now);
    void announce();
    void tell_behind();
    void tell_change();
    void move(const tcp::arrival& now) noexcept;
    [[nodiscard]] connection_info info() const;
    void close_totals(direction_totals (&totals)[2]);

    tcp::connection_identity who_;
    const tcp::connection* segments_;
    const options& chosen_;
    handler& to_;
    tcp::notices& notes_;
    protocol carries_ = protocol::unknown;
    bool flipped_ = false;
    bool announced_ = false;
    bool segments_behind_ = false, told_behind_ = false, told_unheard_ = false;
    bool started_[2] = {false, false};  // by side
    bool from_syn_[2] = {false, false};
    bool told_from_syn_[2] = {false, false};
    tcp::position origin_[2] = {0, 0};
    std::unique_ptr<before_decision> early_;
    std::unique_ptr<foreign_watch> foreign_;  // of what is none of ours and has a name
    orderer order_;
    framer framers_[2];          // by direction
    std::uint64_t passed_ = 0;   // bytes of both directions so far
    std::int64_t first_ns_ = 0;  // time of the first of them
    std::int64_t now_ns_ = 0;    // of the segment being worked off
    std::int64_t moved_ns_ = 0;  // when something came, or a wait began
    bool at_rest_ = false;
    tcp::position settled_[2] = {tcp::no_position, tcp::no_position};  // by side
    struct patience {
        std::uint64_t passed = 0;
        std::int64_t since_ns = 0;
        tcp::position at = 0;  // what is undecided
        bool running = false;
    } patience_[2];
};

}  // namespace cdcscope::recover
