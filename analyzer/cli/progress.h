// The progress line on standard error: bytes of the capture, rate, messages, time left.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace cdcscope::cli {

struct progress_state {
    std::string file;         // name of the file being read
    std::uint64_t done = 0;   // bytes read of all files together
    std::uint64_t total = 0;  // 0: not known (standard input)
    std::uint64_t messages = 0;
    std::size_t file_number = 1;  // of files
    std::size_t files = 1;
};

// The line for a terminal of that width after `elapsed` seconds. Gives up the bar first, then the
// rate, then the name.
[[nodiscard]] std::string progress_line(const progress_state& s, double elapsed, int width);

class progress {
  public:
    // Draws only if `enabled` and standard error is a terminal.
    explicit progress(bool enabled);
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    // Cheap: asks for the state twice a second only.
    template <typename State>
    void tick(State&& state) {
        if (!enabled_ || ++calls_ % 4096 != 0) return;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return;
        next_ = now + std::chrono::milliseconds(500);
        draw(state());
    }
    void erase();

  private:
    void draw(const progress_state& s);

    bool enabled_;
    bool drawn_ = false;
    std::uint32_t calls_ = 0;
    std::chrono::steady_clock::time_point start_, next_;
};

}  // namespace cdcscope::cli
