// What becomes of a message: a stream key and a payload. Sinks take it as it is.
#pragma once

#include <cstdint>
#include <string_view>

#include "proto/wire/bytes.h"

namespace cdcscope::record {

struct entry {
    std::string_view key;      // stream key, valid in a .ss file (stream_key.h)
    std::int64_t time_ns = 0;  // packet time
    byte_view payload;         // JSON without line feed, or raw bytes
    bool is_json = true;
};

}  // namespace cdcscope::record
