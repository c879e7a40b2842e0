#include "analyzer/capture/pcapng_time.h"

#include <array>
#include <limits>

namespace cdcscope::capture {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

constexpr std::array<std::uint64_t, 20> powers_of_ten = [] {
    std::array<std::uint64_t, 20> powers{1};
    for (std::size_t n = 1; n < powers.size(); ++n) powers[n] = powers[n - 1] * 10;
    return powers;
}();

struct split_time {
    std::uint64_t seconds;
    std::uint64_t nanoseconds;
};

split_time split_decimal(std::uint64_t units, unsigned digits) noexcept {
    if (digits >= powers_of_ten.size()) return {0, 0};  // a unit below 2^64 of them a second
    const std::uint64_t fraction = units % powers_of_ten[digits];
    return {units / powers_of_ten[digits], digits <= 9 ? fraction * powers_of_ten[9 - digits]
                                                       : fraction / powers_of_ten[digits - 9]};
}

split_time split_binary(std::uint64_t units, unsigned bits) noexcept {
    constexpr unsigned exact = 34;  // a fraction of so many bits times 10^9 fits in 64
    if (bits == 0) return {units, 0};
    const std::uint64_t seconds = bits < 64 ? units >> bits : 0;
    std::uint64_t fraction = bits < 64 ? units & ((std::uint64_t{1} << bits) - 1) : units;
    if (bits > exact) {
        const unsigned drop = bits - exact;
        fraction = drop < 64 ? fraction >> drop : 0;
        bits = exact;
    }
    return {seconds, fraction * second_ns >> bits};
}

}  // namespace

std::int64_t pcapng_time::nanoseconds(std::uint64_t units) const noexcept {
    constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / second_ns - 1;
    const split_time t = (resolution_ & 0x80U) != 0 ? split_binary(units, resolution_ & 0x7fU)
                                                    : split_decimal(units, resolution_);
    if (t.seconds > static_cast<std::uint64_t>(limit) || offset_ > limit || offset_ < -limit) {
        return offset_ < -limit ? -limit * second_ns : limit * second_ns;
    }
    const std::int64_t seconds = static_cast<std::int64_t>(t.seconds) + offset_;
    if (seconds > limit) return limit * second_ns;
    return seconds * second_ns + static_cast<std::int64_t>(t.nanoseconds);
}

}  // namespace cdcscope::capture
