// Checks everything a .ss file promises: marks, checksums, places and contents of beacons (R22,
// R23).
#pragma once

#include "proto/ss/header.h"
#include "proto/ss/marker_check.h"
#include "proto/ss/reader.h"

namespace cdcscope::ss {

// What a walk over a file meets, in the order of the file; beacons inside a message come after it.
// Views last for the call.
class visitor {
  public:
    visitor() = default;
    visitor(const visitor&) = delete;
    visitor& operator=(const visitor&) = delete;
    virtual ~visitor() = default;

    virtual void on_header(const header& /*h*/) {}
    // `at` stands on the message, so that the payload can be asked for.
    virtual void on_message(reader& /*at*/) {}
    virtual void on_beacon(std::uint64_t /*offset*/, const beacon_view& /*beacon*/) {}
    virtual void on_problem(const problem& /*p*/) {}
};

struct walk_summary {
    std::uint64_t size = 0;
    std::uint64_t messages = 0;  // EOS counted
    std::uint64_t damaged = 0;   // of these: wrong checksum, or no key
    std::uint64_t beacons = 0;
    std::uint64_t problems = 0;
    std::uint64_t read_to = 0;  // where reading ended
    bool eos = false;
    bool readable = false;  // the header could be read
    // Whole messages, without the EOS.
    [[nodiscard]] std::uint64_t good() const noexcept { return messages - damaged - (eos ? 1 : 0); }
    [[nodiscard]] std::uint64_t trailing() const noexcept { return size - read_to; }
};

// Reads from the start to the EOS, the end or the first thing that can not be parsed, and checks on
// the way.
walk_summary verify(byte_source& source, marker_rule rule, visitor& v);

// The same without comparing markers and `remaining`.
walk_summary walk(byte_source& source, visitor& v);

}  // namespace cdcscope::ss
