// Members of `wire`, in the order in which they are written.
#include "analyzer/record/wire_json.h"

#include <chrono>

namespace cdcscope::record {
namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;

char* digits(char* to, std::uint64_t value, int count) noexcept {
    for (int i = count - 1; i >= 0; --i) {
        to[i] = static_cast<char>('0' + value % 10);
        value /= 10;
    }
    return to + count;
}

void write_second(char* to, std::int64_t second) noexcept {
    using namespace std::chrono;
    const sys_seconds at{seconds(second)};
    const sys_days day = floor<days>(at);
    const year_month_day date{day};
    const hh_mm_ss clock{at - day};
    to = digits(to, static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
    *to++ = '-';
    to = digits(to, static_cast<unsigned>(date.month()), 2);
    *to++ = '-';
    to = digits(to, static_cast<unsigned>(date.day()), 2);
    *to++ = 'T';
    to = digits(to, static_cast<std::uint64_t>(clock.hours().count()), 2);
    *to++ = ':';
    to = digits(to, static_cast<std::uint64_t>(clock.minutes().count()), 2);
    *to++ = ':';
    to = digits(to, static_cast<std::uint64_t>(clock.seconds().count()), 2);
    *to = '.';
}

}  // namespace

std::string_view time_text::of(std::int64_t time_ns) noexcept {
    std::int64_t second = time_ns / ns_per_second;
    std::int64_t rest = time_ns % ns_per_second;
    if (rest < 0) {  // before 1970
        rest += ns_per_second;
        --second;
    }
    constexpr std::size_t whole = 20;  // "2023-11-14T22:13:20."
    if (second != second_ || text_[whole - 1] != '.') {
        write_second(text_, second);
        second_ = second;
    }
    char* const end = digits(text_ + whole, static_cast<std::uint64_t>(rest), 9);
    *end = 'Z';
    return {text_, sizeof text_};
}

void wire_json::write(json_writer& out, const recover::message& m,
                      std::optional<std::uint32_t> opaque) {
    out.name("wire").begin_object();
    out.field("conn", m.connection);
    out.field("dir", name(m.dir));
    out.name("frames").begin_array().number(m.frames.first);
    if (m.frames.last != m.frames.first) out.number(m.frames.last);
    out.end_array();
    out.field("time", time_.of(m.frames.done.time_ns));
    if (m.frames.done.file < files_.size())
        out.field("file", std::string_view(files_[m.frames.done.file]));
    out.field("offset", m.offset);
    out.field("bytes", m.wire_length);
    if (opaque) {
        char text[10] = "0x";
        char* end = text + 2;
        for (int shift = 28; shift >= 0; shift -= 4) {
            const unsigned digit = *opaque >> shift & 0xfU;
            if (digit != 0 || end != text + 2 || shift == 0) *end++ = "0123456789abcdef"[digit];
        }
        out.field("opaque", std::string_view(text, static_cast<std::size_t>(end - text)));
    }
    if (m.cut) {
        out.name("cut")
            .begin_object()
            .field("captured", m.captured)
            .field("of", m.wire_length)
            .end_object();
    }
    if (m.after_gap) out.field("afterGap", true).field("gapBytes", m.gap_bytes);
    out.end_object();
}

}  // namespace cdcscope::record
