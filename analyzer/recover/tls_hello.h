// The first record of a TLS stream: which side says hello, and which version it names.
#pragma once

#include <cstdint>
#include <string_view>

#include "proto/wire/bytes.h"

namespace cdcscope::recover {

struct tls_hello {
    enum class state : std::uint8_t { need_more, none, found };
    state is = state::none;
    bool of_server = false;
    // As on the wire: 0x0303 is TLS 1.2. Of a client the highest it offers, of a server what it
    // chose: in the extension supported_versions if there is one, else in the old field.
    std::uint16_t version = 0;
};

// `first`: bytes of one direction from its beginning.
[[nodiscard]] tls_hello read_tls_hello(byte_view first) noexcept;
// "1.2", "SSL 3.0"; empty: not known.
[[nodiscard]] std::string_view tls_version_name(std::uint16_t version) noexcept;

}  // namespace cdcscope::recover
