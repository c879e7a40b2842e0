// A finding: what went wrong (or is worth knowing), where, and the figures that go with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "proto/wire/frame_ref.h"

namespace cdcscope::findings {

enum class severity : std::uint8_t { chat, note, warning, error };

[[nodiscard]] constexpr std::string_view name(severity s) noexcept {
    constexpr std::string_view names[] = {"chat", "note", "warning", "error"};
    return names[static_cast<std::size_t>(s)];
}

// Row of the findings table (table.h).
enum class code : std::uint16_t;

// One named value of a finding; the names are the JSON names of records ("partition", "bySeqno",
// "batchId", "stalledMs" ...).
struct figure {
    std::string_view name;  // static storage
    std::variant<bool, std::uint64_t, std::int64_t, double, std::string, std::vector<std::uint64_t>>
        value;
};

struct finding {
    code what{};
    severity level{};
    bool uncertain = false;        // after a hole or a late start: said as a note
    std::uint32_t connection = 0;  // from 1; 0: the capture as a whole
    frame_ref first;               // first frame of the evidence
    frame_ref at;                  // frame at which it became certain
    std::uint32_t event =
        0;  // id of the message (or end) at which it became certain, as given to feed()
    std::vector<figure> figures;
    std::string text;  // one sentence with the figures in it, for people
    std::uint32_t id =
        0;  // of a finding whose state goes on: on_settled tells its end; 0: nothing more will come
};

// The end of what a finding told of, or how it stood when the connection or the capture ended.
struct settlement {
    std::uint32_t id = 0;  // of the finding
    bool over = false;     // false: still going on then
    frame_ref at;
    std::vector<figure> figures;  // in place of the finding's
    std::string text;             // likewise
    bool at_end = false;  // nothing ended it: the connection or the capture was seen no further
};

// Where findings go as they become certain.
class finding_sink {
  public:
    finding_sink() = default;
    finding_sink(const finding_sink&) = delete;
    finding_sink& operator=(const finding_sink&) = delete;
    virtual ~finding_sink() = default;
    virtual void on_finding(finding found) noexcept = 0;

    // What the finding `id` told of (a stall, a wait, a silence) has ended (`over`), or was still
    // going on when the connection or the capture ended: its figures and its text as they are then,
    // in place of those given before. By value: those who keep them move them.
    // NOLINTBEGIN(performance-unnecessary-value-param)
    virtual void on_settled([[maybe_unused]] std::uint32_t id, [[maybe_unused]] bool over,
                            [[maybe_unused]] const frame_ref& at,
                            [[maybe_unused]] std::vector<figure> figures,
                            [[maybe_unused]] std::string text) noexcept {}
    // NOLINTEND(performance-unnecessary-value-param)
};

}  // namespace cdcscope::findings
