// Names what a connection carries if it is none of our protocols.
#pragma once

#include <string_view>

#include "proto/wire/bytes.h"

namespace cdcscope::recover {

[[nodiscard]] bool is_tls_record(byte_view first) noexcept;
// "HTTP", "MySQL", "TLS" ...; empty if nothing well known begins like this.
[[nodiscard]] std::string_view name_foreign(byte_view first) noexcept;

}  // namespace cdcscope::recover
