// SHA-256 as sha256sum prints it, for comparing with digests of others; libgcrypt does the
// arithmetic.
#pragma once

#include <gcrypt.h>

#include <array>
#include <string>
#include <string_view>

namespace cdcscope::support {

inline std::string sha256_of(std::string_view bytes) {
    std::array<unsigned char, 32> sum{};
    gcry_check_version(nullptr);  // libgcrypt wants to be asked before its first use
    gcry_md_hash_buffer(GCRY_MD_SHA256, sum.data(), bytes.data(), bytes.size());
    std::string out;
    for (const unsigned char byte : sum)
        out += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
    return out;
}

}  // namespace cdcscope::support
