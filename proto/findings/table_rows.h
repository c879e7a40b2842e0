// The parts of the findings table, one a protocol; table.cpp puts them together.
#pragma once

#include "proto/findings/table.h"

namespace cdcscope::findings::rows {

inline constexpr severity chat = severity::chat, note = severity::note, warning = severity::warning,
                          error = severity::error;

inline constexpr bool both_sides = true;

[[nodiscard]] std::span<const entry> dcp_data() noexcept;         // D01 to D19
[[nodiscard]] std::span<const entry> dcp_streams() noexcept;      // D20 to D38
[[nodiscard]] std::span<const entry> dcp_connections() noexcept;  // D39 to D56, dcp.malformed
[[nodiscard]] std::span<const entry> canal() noexcept;
[[nodiscard]] std::span<const entry> capture() noexcept;  // tcp, ip, capture, cap

}  // namespace cdcscope::findings::rows
