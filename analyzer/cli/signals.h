// Interrupts: the first one asks the work to stop at the next packet, a second one ends the program
// at once.
#pragma once

namespace cdcscope::cli {

// Takes SIGINT and SIGTERM, ignores SIGPIPE (a closed reader is an error of the write).
void catch_signals();

// The signal that asks to stop, 0 if none came.
[[nodiscard]] int stop_signal() noexcept;

// Exit status that goes with it: 130 or 143.
[[nodiscard]] int stop_status() noexcept;

}  // namespace cdcscope::cli
