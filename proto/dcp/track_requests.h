// Requests that wait for their answers, paired by (opposite direction, opcode, opaque), oldest
// first (D40, D41).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "proto/dcp/track_message.h"
#include "proto/dcp/track_report.h"
#include "proto/dcp/track_story.h"

namespace cdcscope::dcp {

// What the answer to a request needs to know of it.
struct stream_request {
    std::uint32_t flags = 0;
    std::uint64_t start = 0, end = 0, uuid = 0, snapshot_start = 0, snapshot_end = 0;
    std::optional<std::uint16_t> stream_id;  // `sid` of the JSON value
    std::string filter;                      // the JSON value, cut
    std::string scope_and_collections;       // what it selects, in one spelling
    std::uint64_t world_time = 0;            // order among all events of the capture
};
struct control_request {
    std::string name, value;
    bool whole = true;  // false: the capture cut it
};
struct bucket_request {
    std::string name;
};
struct durable_request {
    std::uint8_t level = 0;
    std::string key;
};
using request_detail =
    std::variant<std::monostate, stream_request, control_request, bucket_request, durable_request>;

struct open_request {
    std::uint32_t id = 0;
    direction from{};
    magic kind{};
    std::uint8_t opcode = 0;
    bool owed = false;  // D40 watches it
    std::uint16_t vbucket = 0;
    std::uint32_t opaque = 0;
    moment asked;
    request_detail detail;
};

class request_table {
  public:
    // D40 if the opaque is still open for this opcode.
    void add(reporter& report, bool uncertain, open_request request);
    // The request that a response of `from` answers, taken out; nothing if none is open (D41 is
    // then told where it applies).
    [[nodiscard]] std::optional<open_request> take(reporter& report, bool uncertain, direction from,
                                                   const message_view& response);
    // Something that `by` sent was not captured: it may have been the request of any later answer,
    // so D41 rests for those.
    void hole(direction by) noexcept { out_of_sight_[index(by)] = true; }
    // The first of `by` that was captured is not the first it sent: what is open may have been
    // answered before.
    void begins_late(direction by) noexcept;
    // FIN of `by`, or any RST: whoever closed owes answers no more can come (D40).
    void close(reporter& report, bool uncertain, direction by, bool reset);

  private:
    static constexpr std::uint32_t none = UINT32_MAX;
    struct slot {
        open_request request;
        std::uint32_t next = none;
        bool used = false;
    };
    struct chain {
        std::uint32_t first = none, last = none;
    };

    void tell_unanswered(reporter& report, bool uncertain, open_request& request,
                         bool reused) const;

    std::unordered_map<std::uint64_t, chain> chains_;  // by direction, opcode, opaque
    std::vector<slot> slots_;
    std::uint32_t free_ = none;
    bool out_of_sight_[2] = {false, false};
    bool resting_ = false;  // too many open at once: pairing goes on, the rules rest
};

}  // namespace cdcscope::dcp
