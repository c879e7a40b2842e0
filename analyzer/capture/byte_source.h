// Bytes of a capture, one after the other: from a file, a pipe, or what a decompressor makes of
// another source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cdcscope::capture {

enum class read_state : std::uint8_t {
    data,   // `size` bytes were read, at least one
    more,   // nothing now; asking again later may give some (a growing file, an interrupted pipe)
    end,    // whole and done
    cut,    // done, but inside something: a compressed stream without its end
    error,  // done, and what follows cannot be read; problem() says why
};

struct read_result {
    read_state state = read_state::end;
    std::size_t size = 0;
};

class byte_source {
  public:
    byte_source() = default;
    byte_source(const byte_source&) = delete;
    byte_source& operator=(const byte_source&) = delete;
    virtual ~byte_source() = default;

    // Reads up to into.size() bytes (at least 1 is asked for). After `end`, `cut` or `error` it
    // gives the same again.
    virtual read_result read(std::span<std::uint8_t> into) = 0;

    // Whether `more` may come: then a reader has to be able to go on inside a record.
    [[nodiscard]] virtual bool can_pause() const noexcept = 0;

    // Why the source ended with `cut` or `error`.
    [[nodiscard]] virtual std::string problem() const { return {}; }
};

}  // namespace cdcscope::capture
