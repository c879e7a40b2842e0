// Writes .ss files, byte for byte as the reference writer does (docs/ss.md section 5).
#pragma once

#include <vector>

#include "proto/ss/header.h"
#include "proto/ss/stream_table.h"

namespace cdcscope::ss {

// Where the bytes go. False: they could not be taken, and whoever writes stops.
class output {
  public:
    output() = default;
    output(const output&) = delete;
    output& operator=(const output&) = delete;
    virtual ~output() = default;
    [[nodiscard]] virtual bool put(byte_view bytes) = 0;
};

// What has to be known of a file to go on writing it as if it had never been closed.
struct writer_state {
    std::uint64_t offset = 0;  // where the next frame starts
    stream_table streams;
};

// Takes every field of a message as given: reserved keys, empty payloads and falling numbers, too
// (R26). It is copyable, and a copy that writes to an output that only counts tells how long a file
// would get. Every call gives false when the output does; the writer is of no use afterwards.
class writer {
  public:
    // A new file; open() comes first. `interval` is at least 128.
    explicit writer(std::uint32_t interval) : writer(interval, {}) {}
    // Goes on in a file with that interval.
    writer(std::uint32_t interval, writer_state state);

    // The header, and the beacon behind it that the smallest interval asks for. Nothing is written
    // if encode() gives nothing.
    [[nodiscard]] bool open(const header& h, output& out);

    // One message. Its key has at most 255 bytes, its time is at most max_timestamp_ms, and
    // fits_frame() holds (asserted).
    [[nodiscard]] bool write(const label& message, byte_view payload, output& out);

    // The same in pieces, for payloads that are in no single buffer: start, then all of the
    // payload, then finish. Its checksum is wanted first, for beacons inside the message count it.
    [[nodiscard]] bool start(const label& message, std::uint32_t size, std::uint16_t checksum,
                             output& out);
    [[nodiscard]] bool put_payload(byte_view piece, output& out);
    [[nodiscard]] bool finish(output& out);

    // The end of the stream.
    [[nodiscard]] bool write_eos(std::uint64_t timestamp_ms, output& out);

    // Writes the beacon at the current offset, which is a multiple of the interval: only for a file
    // that ends without the beacon that belongs there.
    [[nodiscard]] bool write_beacon(output& out);

    [[nodiscard]] std::uint64_t offset() const noexcept { return state_.offset; }
    [[nodiscard]] const stream_table& streams() const noexcept { return state_.streams; }
    [[nodiscard]] std::uint32_t interval() const noexcept { return interval_; }

  private:
    // Bytes of the current frame, with the beacons that fall into it.
    [[nodiscard]] bool put_cut(byte_view bytes, output& out);

    std::uint32_t interval_;
    writer_state state_;
    std::uint64_t beacon_at_;  // next multiple of the interval, behind the offset
    std::uint64_t left_ = 0;   // bytes of the current frame still to be written
    std::uint16_t checksum_ = 0;
    std::vector<std::uint8_t> beacon_;
};

}  // namespace cdcscope::ss
