// What the reordering notices, worded once: warnings and notes of the summary (codes as in the
// captures' truths).
#pragma once

#include <fmt/format.h>

#include <set>

#include "analyzer/capture/observation.h"
#include "analyzer/tcp/late_bytes.h"

namespace cdcscope::tcp {

class notices {
  public:
    explicit notices(capture::observation_sink& to) : to_(to) {}

    // The sentence is made for the first observation of a code only.
    template <typename... Args>
    void say(findings::code code, std::uint32_t connection, const frame_ref& at,
             std::uint64_t bytes, fmt::format_string<Args...> sentence, Args&&... args) {
        capture::observation o{code, connection, at, bytes, {}};
        if (said_.insert(code).second) o.text = fmt::format(sentence, std::forward<Args>(args)...);
        to_.on_observation(o);
    }

    void final_hole(std::uint32_t connection, const hole& h, position origin, bool acknowledged);
    void overlap_conflict(std::uint32_t connection, direction dir, const conflict& c,
                          position origin, const frame_ref& at);

  private:
    capture::observation_sink& to_;
    std::set<findings::code> said_;
};

}  // namespace cdcscope::tcp
