// Any bytes as packets of any link type: two bytes of length and one of link type before each.
#include <array>
#include <cstdlib>

#include "analyzer/capture/decoder.h"

namespace {

using namespace cdcscope;
using namespace cdcscope::capture;

constexpr std::array<std::uint32_t, 20> link_types{0,   1,   9,   12,  14,  50,  51,  101, 104, 108,
                                                   113, 204, 228, 229, 239, 252, 258, 276, 127, 1};

struct checker final : segment_sink, observation_sink, exported_pdu_sink {
    void on_segment(const segment& s) override {
        if (s.payload.size() > s.wire_payload) std::abort();
        for (const std::uint8_t b : s.payload) sum += b;
    }
    void on_observation(const observation& o) override { sum += o.text.size(); }
    void on_exported_pdu(const exported_pdu& p) override {
        for (const std::uint8_t b : p.bytes) sum += b;
        sum += p.dissector.size();
    }
    std::uint64_t sum = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    checker found;
    decoder layers({&found, &found, &found}, {16, 1U << 20, 1'000'000});
    byte_view rest(data, size);
    std::uint32_t frame = 0;
    while (rest.size() >= 3) {
        const std::size_t length =
            std::min<std::size_t>(load_be16(rest.data()) & 0x0fffU, rest.size() - 3);
        packet p;
        p.at = {std::int64_t{rest[0]} * 10'000 * ++frame, frame, 0};
        p.link_type = link_types[rest[2] % link_types.size()];
        p.bytes = rest.subspan(3, length);
        p.wire_length = static_cast<std::uint32_t>(length + (rest[0] >> 7U) * 100U);
        layers.decode(p);
        rest = rest.subspan(3 + length);
    }
    layers.finish();
    return 0;
}
