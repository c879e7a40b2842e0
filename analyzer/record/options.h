// How messages become records: what the user chose.
#pragma once

#include <cstdint>

namespace cdcscope::record {

enum class payload_mode : std::uint8_t { json, raw, both };
enum class layout : std::uint8_t { connection, changes, vbucket };
enum class blob_mode : std::uint8_t { text, base64 };
enum class redact_mode : std::uint8_t { nothing, keys, values, all };

struct options {
    payload_mode payload = payload_mode::json;
    layout streams = layout::connection;
    blob_mode blob = blob_mode::text;
    redact_mode redact = redact_mode::nothing;
    bool int64_as_strings = false;
    bool keep_secrets = false;
    bool several_captures = false;  // `wire.file` is written
};

}  // namespace cdcscope::record
