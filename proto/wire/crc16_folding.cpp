#include "proto/wire/crc16_folding.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cdcscope {

#if defined(__x86_64__)
namespace {

// x^n modulo x^16 + the polynomial of crc16.cpp.
constexpr std::uint64_t power_of_x(unsigned n) {
    std::uint32_t p = 1;
    for (; n > 0; --n) {
        p <<= 1;
        if ((p & 0x10000U) != 0) p ^= 0x1c867U;
    }
    return p;
}

// What moving a block of 128 bits over so many bits does to its upper and lower half.
template <unsigned Bits>
struct distance {
    static constexpr std::uint64_t upper = power_of_x(Bits + 64);
    static constexpr std::uint64_t lower = power_of_x(Bits);
};

// A block as a polynomial: its first byte has the highest powers.
[[gnu::target("pclmul,ssse3")]] inline __m128i load_block(const std::uint8_t* p) noexcept {
    const __m128i reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), reversed);
}

// `block` moved by the distance in `by`, onto `next`. Half a block times a remainder of 16 bits
// fits 128 bits, so nothing is lost.
[[gnu::target("pclmul,ssse3")]] inline __m128i fold(__m128i block, __m128i by,
                                                    __m128i next) noexcept {
    const __m128i upper = _mm_clmulepi64_si128(block, by, 0x11);
    const __m128i lower = _mm_clmulepi64_si128(block, by, 0x00);
    return _mm_xor_si128(next, _mm_xor_si128(upper, lower));
}

template <unsigned Bits>
[[gnu::target("pclmul,ssse3")]] inline __m128i by_distance() noexcept {
    return _mm_set_epi64x(static_cast<long long>(distance<Bits>::upper),
                          static_cast<long long>(distance<Bits>::lower));
}

}  // namespace

bool can_fold_crc16() noexcept {
    static const bool can = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3");
    return can;
}

[[gnu::target("pclmul,ssse3")]] void fold_crc16(byte_view bytes, std::uint16_t crc,
                                                std::uint8_t (&folded)[16]) noexcept {
    const std::uint8_t* p = bytes.data();
    std::size_t left = bytes.size();
    // Four blocks side by side, so that the multiplications overlap. The checksum so far belongs to
    // the first two bytes.
    const std::uint64_t so_far = std::uint64_t{crc} << 48;
    __m128i a = _mm_xor_si128(load_block(p), _mm_set_epi64x(static_cast<long long>(so_far), 0));
    __m128i b = load_block(p + 16);
    __m128i c = load_block(p + 32);
    __m128i d = load_block(p + 48);
    const __m128i by_512 = by_distance<512>();
    for (p += 64, left -= 64; left >= 64; p += 64, left -= 64) {
        a = fold(a, by_512, load_block(p));
        b = fold(b, by_512, load_block(p + 16));
        c = fold(c, by_512, load_block(p + 32));
        d = fold(d, by_512, load_block(p + 48));
    }
    const __m128i by_128 = by_distance<128>();
    __m128i all = fold(fold(fold(a, by_128, b), by_128, c), by_128, d);
    for (; left >= 16; p += 16, left -= 16) all = fold(all, by_128, load_block(p));
    const __m128i reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(folded), _mm_shuffle_epi8(all, reversed));
}

#else

bool can_fold_crc16() noexcept {
    return false;
}
void fold_crc16(byte_view, std::uint16_t, std::uint8_t (&)[16]) noexcept {}

#endif

}  // namespace cdcscope
