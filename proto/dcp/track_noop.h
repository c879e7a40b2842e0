// Keep-alives and silence (D17, D18, D19, D53).
#pragma once

#include "proto/dcp/track_agreed.h"
#include "proto/dcp/track_links.h"
#include "proto/dcp/track_queue.h"
#include "proto/dcp/track_report.h"

namespace cdcscope::dcp {

class noop_watch {
  public:
    explicit noop_watch(noop_story& story) noexcept : story_(&story) {}

    void request(reporter& report, std::uint32_t opaque, std::uint32_t id) noexcept;
    // Id of the noop that is answered, 0 if none is open with this opaque (D18).
    std::uint32_t response(reporter& report, bool uncertain, std::uint32_t opaque,
                           std::int64_t& elapsed_ns) noexcept;

    // Any message of `from`, after check_time.
    void heard(reporter& report, direction from, const agreement& agreed) noexcept;
    // Time-outs, before the event at `report.now()` is taken. `from`: who sends it; none for FIN,
    // RST and the end of the capture.
    void check_time(reporter& report, const agreement& agreed, const certainty& sure,
                    std::optional<direction> from) noexcept;
    void reset(reporter& report, const certainty& sure, direction from) noexcept;
    void close(reporter& report) noexcept;

  private:
    struct open_noop {
        std::uint32_t opaque = 0, id = 0;
        moment sent;
        running told;
    };

    void check_noops(reporter& report, const agreement& agreed, const certainty& sure) noexcept;
    void check_producer(reporter& report, const agreement& agreed, const certainty& sure) noexcept;
    void check_silence(reporter& report, const certainty& sure,
                       std::optional<direction> from) noexcept;
    static void tell_noop(reporter& report, open_noop& noop, severity level,
                          bool uncertain) noexcept;
    [[nodiscard]] static account noop_account(const reporter& report, const open_noop& noop);
    [[nodiscard]] account producer_account(const reporter& report) const;

    noop_story* story_;
    fifo<open_noop> open_;                // in order of time
    std::size_t noted_ = 0, warned_ = 0;  // how many of them, from the front

    std::optional<moment> last_, last_producer_;
    bool producer_told_ = false;
    running producer_running_;

    // After a silence: who broke it, and the other side has not answered yet.
    std::optional<direction> broke_silence_;
    std::int64_t silence_ns_ = 0;
    frame_ref silence_from_;
};

}  // namespace cdcscope::dcp
