// Cuts one direction's bytes into messages; names what is none. A message that lies in one chunk is
// lent as a view, others are put together in a buffer.
#pragma once

#include <memory>

#include "analyzer/recover/orderer.h"
#include "analyzer/recover/run_buffer.h"
#include "analyzer/recover/search.h"
#include "analyzer/recover/skipped_run.h"
#include "analyzer/tcp/notices.h"

namespace cdcscope::recover {

// What the framers of a connection share.
struct framer_services {
    std::uint32_t connection = 0;
    orderer& order;
    tcp::notices& notes;
};

class framer {
  public:
    // A message boundary at which nothing followed for so long is believed (F).
    static constexpr std::int64_t pause_ns = 2'000'000'000;

    framer(direction dir, const framer_services& shared) : dir_(dir), shared_(shared) {}

    // Before any byte: where the stream begins, whether that is a message boundary, and the
    // protocol's rules. protocol::tls and protocol::other: everything is unparsed.
    void begin(tcp::position origin, bool at_boundary, const framing& rules);

    // In stream order, without overlap. `bytes` may be empty where nothing is parsed.
    void on_bytes(tcp::position begin, std::uint64_t size, byte_view bytes, const stamp& s);
    void on_hole(const tcp::hole& h);
    // Nothing below `upto` will come any more, and nothing behind it has come yet.
    void on_settled(tcp::position upto, const tcp::arrival& now);
    // FIN or RST at its place; what it cuts off comes first.
    void on_end(end_kind how, tcp::position at, tcp::position acknowledges,
                const tcp::arrival& now);
    // Nothing more will come.
    void finish();
    // The other side said something after it had everything up to `acknowledged`. Where whole
    // messages end just there, the writer waited for that answer.
    void on_reply(tcp::position acknowledged);
    // Packet time has passed: a pause of the writer shows where a message ends.
    void on_time(std::int64_t now_ns);
    // A record of an exported PDU begins at a message (H11), whatever the one before left.
    void expect_boundary();
    // Such a record ends: what it cut comes again, whole.
    void drop_unfinished();
    // I1: lets go of what waits here.
    void give_up_waiting(const tcp::arrival& now);

    [[nodiscard]] std::uint64_t held() const noexcept {
        return hold_.cost() +
               (hit_ ? hit_->prefix.size() + hit_->pieces.size() * sizeof(skipped_run) : 0);
    }
    [[nodiscard]] bool undecided() const noexcept {
        return state_ == state::searching && (!hold_.empty() || breaks_unsaid());
    }
    // Every event that ends at or below this has been given to the orderer.
    [[nodiscard]] tcp::position decided() const noexcept {
        if (!undecided()) return end_;
        return breaks_unsaid() ? skipped_.begin() : hold_.begin();
    }
    [[nodiscard]] tcp::position end() const noexcept { return end_; }
    [[nodiscard]] const direction_totals& totals() const noexcept { return totals_; }

  private:
    enum class state : std::uint8_t {
        in_step,
        skipping,  // a hole hit the message, its end is known
        searching,
        unparsed,  // no protocol of ours
    };
    enum class lost_step : std::uint8_t { late_start, hole, broken };

    // Framing broke, and no event has told so yet. Behind a hole one has.
    [[nodiscard]] bool breaks_unsaid() const noexcept {
        return lost_ == lost_step::broken && !skipped_.empty();
    }

    // A message that a hole hit, and what there is of it.
    struct hit_message {
        bool is_cut = false;  // header, extras and key are here: told as a cut message
        bool byte_after_hole = false;
        bool by_snaplen = false;  // a hole in it is
        tcp::position begin = 0, end = 0;
        std::uint64_t gap_before = 0;      // before the message
        std::vector<std::uint8_t> prefix;  // cut only: up to the first missing byte
        std::vector<skipped_run> pieces;   // cut only: all that was captured
    };

    std::size_t step_direct(tcp::position begin, byte_view bytes, const stamp& s);
    std::size_t step_held(tcp::position begin, byte_view bytes, const stamp& s);
    void step_through_hold();
    std::size_t skip(tcp::position begin, byte_view bytes, const stamp& s);
    void work_off(run_end how);
    void search(run_end how);
    void skip_held(std::size_t count);
    [[nodiscard]] framing::step read(byte_view bytes);
    void note_broken(const framing::step& broken, tcp::position at, const tcp::arrival& now);
    void lose_step(lost_step why);
    [[nodiscard]] unparsed_kind kind_of_loss() const noexcept;
    void accept_boundary();
    void hit(const tcp::hole& h);
    [[nodiscard]] bool hides_no_message(tcp::position upto) const;
    void hole_in_hit_message(const tcp::hole& h);
    void give_up_cut_message(const tcp::arrival& now);
    void end_run();
    void emit_message(tcp::position begin, byte_view bytes, const frame_trail& trail);
    void emit_cut(tcp::position order_end);
    void emit_gap(const tcp::hole& h, bool inside_value);
    void emit_skipped(skipped_run& run, unparsed_kind kind);
    void emit(const event& e) { shared_.order.add(dir_, e); }
    void note_incomplete(std::uint64_t had, std::uint64_t due, const frame_trail& trail);
    void note_too_long(std::uint64_t unparsed);
    void note_resync(tcp::position from, std::uint64_t bytes, const tcp::arrival& at);
    [[nodiscard]] std::uint64_t offset(tcp::position p) const noexcept {
        return static_cast<std::uint64_t>(p - origin_);
    }

    direction dir_;
    state state_ = state::unparsed;
    lost_step lost_ = lost_step::late_start;
    bool check_next_ = false;  // F, try 1: the next message must look like one
    framer_services shared_;
    framing rules_;
    tcp::position origin_ = 0;
    tcp::position end_ = 0;         // of what came so far
    tcp::position lost_at_ = 0;     // where step was lost
    std::uint64_t lost_bytes_ = 0;  // skipped since then
    std::uint64_t too_long_ = 0;    // what the message that broke the framing claims; 0: not that
    tcp::arrival too_long_at_;
    std::uint64_t gap_before_ = 0;   // bytes missing since the last message
    std::int64_t last_time_ns_ = 0;  // of the last bytes while searching
    run_buffer hold_;  // in step: a message that is not whole; searching: what is undecided
    boundary_search search_;
    skipped_run skipped_;
    std::unique_ptr<hit_message> hit_;
    direction_totals totals_;
};

}  // namespace cdcscope::recover
