// A byte source as the FILE that libpcap reads from, able to hand bytes out a second time.
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

#include "analyzer/capture/byte_source.h"
#include "proto/wire/bytes.h"

namespace cdcscope::capture {

// libpcap cannot go on inside a record after its stream paused. So the stream remembers what it
// gave since the last whole record (only if its source can pause at all), and a new FILE starts
// there, behind the file header.
class pcap_stream {
  public:
    // `header` is what libpcap shall see as the file's first bytes; the source stands behind it.
    pcap_stream(std::unique_ptr<byte_source> source, byte_view header);

    // A FILE that gives the header, then everything from the last boundary on. Null if memory is
    // short. Must not outlive this.
    [[nodiscard]] std::FILE* open();

    // All records up to this offset of the file have been read.
    void boundary(std::uint64_t offset) noexcept { boundary_ = offset; }
    // Bytes of the file that the source has given, its header included.
    [[nodiscard]] std::uint64_t delivered() const noexcept { return delivered_; }
    // State of the last read of the source.
    [[nodiscard]] read_state state() const noexcept { return state_; }
    [[nodiscard]] std::string problem() const { return source_->problem(); }

    // Asks the paused source again; with read_state::data a new open() goes on.
    read_state poll();

  private:
    // Large enough that system calls do not count, small enough to stay in the second-level cache.
    using file_buffer = std::array<char, std::size_t{256} * 1024>;

    std::size_t give(std::span<std::uint8_t> into);
    void remember(byte_view bytes);

    std::unique_ptr<byte_source> source_;
    std::vector<std::uint8_t> header_;
    std::vector<std::uint8_t> replay_;  // to be given before the source is asked
    std::size_t replayed_ = 0;
    std::vector<std::uint8_t> recent_;  // given since the boundary; ends at delivered_
    std::unique_ptr<file_buffer> file_buffer_;
    std::uint64_t boundary_;
    std::uint64_t delivered_;
    read_state state_ = read_state::data;
};

}  // namespace cdcscope::capture
