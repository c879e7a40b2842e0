// How the rules of one connection tell what they found: severity when uncertain, how many of a
// code, where in time.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "proto/findings/finding.h"
#include "proto/findings/table.h"
#include "proto/findings/thresholds.h"
#include "proto/findings/words.h"

namespace cdcscope::dcp {

using findings::code;
using findings::limit;
using findings::sentence;
using findings::severity;

// Where the connection stands: the event being taken, its frame, and packet time that never goes
// back.
struct moment {
    std::uint32_t event = 0;
    frame_ref at;
    std::int64_t time = 0;
};

// What is said of one finding.
struct account {
    std::string text;
    std::vector<findings::figure> figures;
};

class reporter {
  public:
    reporter(findings::finding_sink& sink, const findings::thresholds& limits,
             std::uint32_t connection, std::uint32_t& last_id) noexcept
        : sink_(&sink), limits_(&limits), last_id_(&last_id), connection_(connection) {}

    void enter(const moment& now) noexcept { now_ = now; }
    [[nodiscard]] const moment& now() const noexcept { return now_; }
    [[nodiscard]] std::uint32_t connection() const noexcept { return connection_; }
    [[nodiscard]] const findings::thresholds& limits() const noexcept { return *limits_; }

    // The order of the two directions is not known from here on (a packet analyser that shows a
    // capture as it was taken): what compares them is uncertain.
    void order_unknown() noexcept { unordered_ = true; }

    // A finding at this moment. Uncertain: errors and warnings are notes. `first`: where its
    // evidence begins. Gives the id for settle(), 0 if the code has reached the most a connection
    // may tell.
    std::uint32_t tell(code what, severity level, bool uncertain, const frame_ref& first,
                       account said) noexcept;

    // What the finding told of is over, or still goes on at the end. Nothing for id 0.
    void settle(std::uint32_t id, bool over, account said) noexcept;

  private:
    findings::finding_sink* sink_;
    const findings::thresholds* limits_;
    std::uint32_t* last_id_;
    std::uint32_t connection_;
    moment now_;
    bool unordered_ = false;
    std::vector<std::uint32_t> told_;  // by code; empty until the first
};

// The findings of a state that goes on (a note, then a warning): settled together.
struct running {
    std::array<std::uint32_t, 2> ids{};

    void add(std::uint32_t id) noexcept { (ids[0] == 0 ? ids[0] : ids[1]) = id; }
    [[nodiscard]] bool any() const noexcept { return ids[0] != 0; }
    void settle(reporter& report, bool over, const account& said) noexcept {
        for (std::uint32_t& id : ids) {
            report.settle(id, over, said);
            id = 0;
        }
    }
};

// "vb 1023": a name, not an amount.
[[nodiscard]] std::string vb_text(std::uint16_t vbucket);
// "not my vbucket (0x07)", "status 0x1234".
[[nodiscard]] std::string status_text(std::uint16_t status);
// `figures`, with status and statusCode behind them.
[[nodiscard]] std::vector<findings::figure> with_status(std::uint16_t status,
                                                        std::vector<findings::figure> figures);

// Milliseconds for figures.
[[nodiscard]] constexpr double as_ms(std::int64_t ns) noexcept {
    return static_cast<double>(ns) / 1e6;
}

}  // namespace cdcscope::dcp
