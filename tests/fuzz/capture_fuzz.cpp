// Any bytes as a capture, through decompressors and both readers, in pieces and with pauses. What a
// pause changes is a bug.
#include <cstdlib>
#include <vector>

#include "analyzer/capture/decoder.h"
#include "analyzer/capture/open_capture.h"

namespace {

using namespace cdcscope;
using namespace cdcscope::capture;

constexpr std::size_t enough_packets = 2000;
constexpr std::uint64_t enough_bytes = 8U << 20;  // a packed byte may become a thousand

class pieces final : public byte_source {
  public:
    pieces(byte_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
    read_result read(std::span<std::uint8_t> into) override {
        if (bytes_.empty()) return {read_state::end, 0};
        if (piece_ != 0 && (pause_ = !pause_)) return {read_state::more, 0};
        const std::size_t n =
            std::min({into.size(), bytes_.size(), piece_ == 0 ? bytes_.size() : piece_});
        std::copy_n(bytes_.begin(), n, into.begin());
        bytes_ = bytes_.subspan(n);
        return {read_state::data, n};
    }
    [[nodiscard]] bool can_pause() const noexcept override { return piece_ != 0; }

  private:
    byte_view bytes_;
    std::size_t piece_;
    bool pause_ = true;  // the first bytes, which tell the format, come without one
};

struct totals final : segment_sink, observation_sink, exported_pdu_sink {
    void on_segment(const segment& s) override {
        if (s.payload.size() > s.wire_payload) std::abort();
        for (const std::uint8_t b : s.payload) sum = sum * 31 + b;
    }
    void on_observation(const observation& o) override { sum = sum * 31 + o.text.size(); }
    void on_exported_pdu(const exported_pdu& p) override { sum = sum * 31 + p.bytes.size(); }
    bool opened = false;
    std::uint64_t sum = 0;
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
};

void read(byte_view bytes, std::size_t piece, totals& found) {
    opened_reader opened = open_capture(std::make_unique<pieces>(bytes, piece), "x", "extract");
    if (!opened.reader) {
        if (opened.error.empty()) std::abort();
        return;
    }
    found.opened = true;
    decoder layers({&found, &found, &found});
    packet p;
    while (found.packets < enough_packets && found.bytes < enough_bytes) {
        const next_state state = opened.reader->next(p);
        if (state == next_state::more) continue;
        if (state != next_state::packet) break;
        ++found.packets;
        found.bytes += p.bytes.size();
        if (p.at.frame < found.packets) std::abort();
        layers.decode(p);
    }
    layers.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const byte_view bytes = byte_view(data, size).subspan(1);
    totals whole;
    read(bytes, 0, whole);
    totals in_pieces;
    read(bytes, std::size_t{data[0]} + 24, in_pieces);
    if (!in_pieces.opened) return 0;  // it paused before the first record
    if (whole.packets != in_pieces.packets || whole.sum != in_pieces.sum) std::abort();
    return 0;
}
