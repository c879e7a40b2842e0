// Where and how a writer goes on in an existing file, as if it had never been closed (R17).
#pragma once

#include <optional>
#include <string>

#include "proto/ss/header.h"
#include "proto/ss/verifier.h"
#include "proto/ss/writer.h"

namespace cdcscope::ss {

struct restored {
    std::uint32_t interval = 0;
    writer_state
        state;  // its offset is where the file has to be cut: behind the last whole message
    bool beacon_missing = false;          // the beacon at that offset has to be written first
    std::uint64_t torn_bytes = 0;         // of a frame that was not written to its end
    std::optional<std::uint64_t> eos_ms;  // time of the EOS that is cut off
    std::uint64_t messages = 0;           // without the EOS

    // Set if the file is damaged other than by a torn end: writing on would bury the damage. Its
    // key is not kept.
    problem damage;
};

// Reads and verifies the whole file. `v` sees its messages and problems.
[[nodiscard]] restored restore(byte_source& source, visitor& v);

}  // namespace cdcscope::ss
