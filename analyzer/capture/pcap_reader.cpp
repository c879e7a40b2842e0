#include "analyzer/capture/pcap_reader.h"

#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "analyzer/capture/pcap_stream.h"

namespace cdcscope::capture {
namespace {

constexpr std::uint32_t patched_magic = 0xa1b2cd34;  // its record headers have eight bytes more
constexpr std::array<std::uint32_t, 3> magics{0xa1b2c3d4, 0xa1b23c4d, patched_magic};
constexpr std::size_t snap_length_at = 16;
constexpr std::size_t link_type_at = 20;
constexpr std::uint32_t link_type_bits = 0x03ffffff;  // above: length of the frame check sequence
constexpr std::int64_t second_ns = 1'000'000'000;

bool is_little_endian(byte_view start) noexcept {
    return std::ranges::find(magics, load_le32(start.data())) != magics.end();
}

struct pcap_closer {
    void operator()(pcap_t* p) const noexcept { ::pcap_close(p); }
};

// libpcap says "truncated dump file; tried to read 86 captured bytes, only got 62".
std::uint64_t missing_bytes(const char* text) {
    unsigned long long wanted = 0;
    unsigned long long got = 0;
    if (std::sscanf(text, "truncated dump file; tried to read %llu %*s bytes, only got %llu",
                    &wanted, &got) != 2)
        return 0;
    return wanted > got ? wanted - got : 0;
}

class pcap_reader final : public packet_reader {
  public:
    pcap_reader(std::unique_ptr<byte_source> source, byte_view header);

    // Lets libpcap read the file header (again). Empty text: good.
    std::string start();

    next_state next(packet& out) override;
    [[nodiscard]] const read_problem& problem() const noexcept override { return problem_; }
    [[nodiscard]] std::optional<std::uint32_t> only_link_type() const noexcept override {
        return link_type_;
    }

  private:
    next_state finish(read_problem why);
    next_state at_pause();
    next_state at_end();
    next_state at_error();

    pcap_stream stream_;
    std::unique_ptr<pcap_t, pcap_closer> pcap_;
    std::uint32_t link_type_ = 0;
    std::size_t record_header_ = 16;
    std::uint64_t offset_ = pcap_header_size;
    std::uint32_t frame_ = 0;
    bool paused_ = false;
    bool finished_ = false;
    read_problem problem_;
};

pcap_reader::pcap_reader(std::unique_ptr<byte_source> source, byte_view header)
    : stream_(std::move(source), header) {
    const bool little = is_little_endian(header);
    const auto number = [&](std::size_t at) {
        return little ? load_le32(&header[at]) : load_be32(&header[at]);
    };
    link_type_ = number(link_type_at) & link_type_bits;
    if (number(0) == patched_magic) record_header_ += 8;
}

std::string pcap_reader::start() {
    pcap_.reset();
    std::array<char, PCAP_ERRBUF_SIZE> why{};
    std::FILE* file = stream_.open();
    if (file == nullptr) return "out of memory";
    pcap_.reset(
        ::pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why.data()));
    if (pcap_) return {};
    std::fclose(file);
    return why.data();
}

next_state pcap_reader::finish(read_problem why) {
    finished_ = true;
    problem_ = std::move(why);
    return problem_.code.empty() ? next_state::end : next_state::error;
}

next_state pcap_reader::at_pause() {
    paused_ = true;
    return next_state::more;
}

next_state pcap_reader::at_end() {
    switch (stream_.state()) {
        case read_state::more:
            return at_pause();
        case read_state::cut:
            return finish(cut_off(frame_ + 1, stream_.delivered(), 0));
        case read_state::error:
            return finish(damaged(frame_ + 1, stream_.delivered(), stream_.problem()));
        default:
            return finish({});
    }
}

next_state pcap_reader::at_error() {
    const char* text = ::pcap_geterr(pcap_.get());
    if (std::strncmp(text, "truncated", 9) != 0) return finish(damaged(frame_ + 1, offset_, text));
    if (stream_.state() == read_state::more) return at_pause();
    if (stream_.state() == read_state::error) return at_end();
    return finish(cut_off(frame_ + 1, stream_.delivered(), missing_bytes(text)));
}

next_state pcap_reader::next(packet& out) {
    if (finished_) return problem_.code.empty() ? next_state::end : next_state::error;
    if (paused_) {
        const read_state state = stream_.poll();
        if (state == read_state::more) return next_state::more;
        paused_ = false;
        // Also when nothing came: libpcap then says whether the pause was inside a record.
        if (const std::string why = start(); !why.empty())
            return finish(damaged(frame_ + 1, offset_, why));
    }
    pcap_pkthdr* header = nullptr;
    const u_char* bytes = nullptr;
    const int got = ::pcap_next_ex(pcap_.get(), &header, &bytes);
    if (got == PCAP_ERROR) return at_error();
    if (got != 1) return at_end();
    // libpcap takes the seconds for signed; in files they are not, and last until 2106.
    const auto seconds = static_cast<std::uint32_t>(header->ts.tv_sec);
    offset_ += record_header_ + header->caplen;
    stream_.boundary(offset_);
    out.at = {std::int64_t{seconds} * second_ns + header->ts.tv_usec, ++frame_, 0};
    out.has_time = true;
    out.link_type = link_type_;
    out.wire_length = std::max(header->len, header->caplen);
    out.bytes = {bytes, header->caplen};
    return next_state::packet;
}

}  // namespace

bool is_pcap(byte_view start) noexcept {
    if (start.size() < 4) return false;
    return is_little_endian(start) ||
           std::ranges::find(magics, load_be32(start.data())) != magics.end();
}

opened_reader open_pcap(std::unique_ptr<byte_source> source) {
    std::array<std::uint8_t, pcap_header_size> header{};
    std::size_t have = 0;
    while (have < header.size()) {
        const read_result r = source->read(std::span(header).subspan(have));
        if (r.state == read_state::more) return {nullptr, std::string(not_yet), {}};
        if (r.state != read_state::data) {
            return {nullptr,
                    "cut off inside the file header of 24 bytes; there is no packet in it",
                    {}};
        }
        have += r.size;
    }
    // Some writers give a snap length smaller than their packets; libpcap would cut those. 0 stands
    // for its maximum.
    std::fill_n(header.begin() + snap_length_at, 4, std::uint8_t{0});
    auto reader = std::make_unique<pcap_reader>(std::move(source), header);
    if (std::string why = reader->start(); !why.empty()) return {nullptr, std::move(why), {}};
    return {std::move(reader), {}, {}};
}

}  // namespace cdcscope::capture
