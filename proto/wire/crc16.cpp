#include "proto/wire/crc16.h"

#include <array>

#include "proto/wire/crc16_folding.h"

namespace cdcscope {
namespace {

constexpr std::uint16_t polynomial = 0xc867;
using table = std::array<std::uint16_t, 256>;

// tables[k][b]: what byte b does to the checksum when k more bytes follow it.
constexpr std::array<table, 8> make_tables() {
    std::array<table, 8> t{};
    for (unsigned b = 0; b < 256; ++b) {
        auto crc = static_cast<std::uint16_t>(b << 8);
        for (int bit = 0; bit < 8; ++bit) {
            const bool top = (crc & 0x8000U) != 0;
            crc = static_cast<std::uint16_t>(crc << 1 ^ (top ? polynomial : 0U));
        }
        t[0][b] = crc;
    }
    for (std::size_t k = 1; k < t.size(); ++k) {
        for (unsigned b = 0; b < 256; ++b) {
            const std::uint16_t before = t[k - 1][b];
            t[k][b] = static_cast<std::uint16_t>(before << 8 ^ t[0][before >> 8]);
        }
    }
    return t;
}

constexpr std::array<table, 8> tables = make_tables();

std::uint16_t by_tables(byte_view bytes, std::uint16_t crc) noexcept {
    const std::uint8_t* p = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8, p += 8) {
        crc = static_cast<std::uint16_t>(tables[7][p[0] ^ crc >> 8] ^
                                         tables[6][p[1] ^ (crc & 0xffU)] ^ tables[5][p[2]] ^
                                         tables[4][p[3]] ^ tables[3][p[4]] ^ tables[2][p[5]] ^
                                         tables[1][p[6]] ^ tables[0][p[7]]);
    }
    for (; left > 0; --left, ++p) {
        crc = static_cast<std::uint16_t>(crc << 8 ^ tables[0][(crc >> 8 ^ *p) & 0xffU]);
    }
    return crc;
}

}  // namespace

std::uint16_t crc16(byte_view bytes, std::uint16_t crc) noexcept {
    if (bytes.size() < min_folding_size || !can_fold_crc16()) return by_tables(bytes, crc);
    std::uint8_t folded[16];
    const std::size_t blocks = bytes.size() - bytes.size() % sizeof folded;
    fold_crc16(bytes.first(blocks), crc, folded);
    return by_tables(bytes.subspan(blocks), by_tables(folded, 0));
}

}  // namespace cdcscope
