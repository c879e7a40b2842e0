// Messages of a connection, holes and ends in any order, through the state machine of DCP. Each
// step of the input: a byte that says what comes and from whom, a byte of time, two of length, then
// the message.
#include <algorithm>
#include <cstdlib>

#include "proto/dcp/track.h"
#include "proto/wire/cursor.h"

namespace {

using namespace cdcscope;

struct reader final : findings::finding_sink {
    void on_finding(findings::finding f) noexcept override {
        if (f.text.empty() || f.connection == 0) std::abort();
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    reader found;
    dcp::world all({&found, nullptr, nullptr}, {});
    const bool from_start = size == 0 || (data[0] & 0x80) == 0;
    const auto one = all.add({1, "10.0.0.1:1", "10.0.0.2:11210", from_start});
    const auto two = all.add({2, "10.0.0.1:2", "10.0.0.2:11210", true});
    cursor in({data, size});
    frame_ref at{1'700'000'000'000'000'000, 0, 0};
    while (!in.at_end()) {
        const std::uint8_t what = in.u8();
        constexpr std::int64_t step_ns = 250'000'000;
        at.time_ns += in.u8() * step_ns;
        const std::size_t length = in.be16();
        const byte_view message = in.take(std::min(length, in.remaining()));
        if (!in.ok()) break;
        ++at.frame;
        dcp::connection& c = (what & 4) != 0 ? *two : *one;
        const direction from = (what & 1) != 0 ? direction::c2s : direction::s2c;
        switch (what & 0x38) {
            case 0x38:
                c.hole(from);
                break;
            case 0x30:
                c.end(from, (what & 2) != 0 ? dcp::end_of::rst : dcp::end_of::fin, at, at.frame);
                break;
            default: {
                const dcp::track_record record =
                    c.feed({at.frame, at, from, message, (what & 2) != 0});
                if (record.stream > c.story().streams_opened + at.frame) std::abort();
            }
        }
    }
    one->finish(at);
    two->finish(at);
    return 0;
}
