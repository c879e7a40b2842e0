// What the layers below the protocols noticed: the warnings and notes of the summary.
#pragma once

#include <cstdint>
#include <string>

#include "proto/findings/table.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::capture {

struct observation {
    findings::code code{};         // the summary tells its text
    std::uint32_t connection = 0;  // from 1; 0: none
    frame_ref at;
    std::uint64_t bytes = 0;  // amount, where there is one
    std::string text;         // the first one of a code is kept for the summary
};

class observation_sink {
  public:
    observation_sink() = default;
    observation_sink(const observation_sink&) = delete;
    observation_sink& operator=(const observation_sink&) = delete;
    virtual ~observation_sink() = default;
    virtual void on_observation(const observation& o) = 0;
};

}  // namespace cdcscope::capture
