#include "analyzer/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/cli/terminal.h"

namespace cdcscope::cli {
namespace {

constexpr int bar_width = 20;
constexpr double mib = 1024.0 * 1024.0;

std::string thousands(std::uint64_t n) {
    std::string digits = std::to_string(n);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return digits;
}

std::string time_left(double seconds) {
    const auto s = static_cast<std::uint64_t>(std::llround(seconds));
    return s < 120 ? fmt::format("{} s left", s) : fmt::format("{} min left", (s + 30) / 60);
}

}  // namespace

std::string progress_line(const progress_state& s, double elapsed, int width) {
    const double rate = elapsed > 0 ? static_cast<double>(s.done) / elapsed : 0;
    const std::string rate_text = fmt::format("{:.0f} MiB/s", rate / mib);
    const std::string messages = thousands(s.messages) + " messages";
    if (s.total == 0) {
        const auto seconds = static_cast<std::uint64_t>(elapsed);
        return fmt::format("-  {} MiB   {}   {}   {:02}:{:02}", thousands(s.done >> 20), rate_text,
                           messages, seconds / 60, seconds % 60);
    }
    const double share = std::min(1.0, static_cast<double>(s.done) / static_cast<double>(s.total));
    const int filled = static_cast<int>(share * bar_width);
    const std::string bar =
        fmt::format("[{}{}]", std::string(static_cast<std::size_t>(filled), '#'),
                    std::string(static_cast<std::size_t>(bar_width - filled), '-'));
    const std::string left =
        rate > 0 ? time_left(static_cast<double>(s.total - std::min(s.done, s.total)) / rate) : "";
    const std::string files = s.files > 1 ? fmt::format("   {} of {}", s.file_number, s.files) : "";
    const std::string tail = fmt::format("   {}{}   {}", messages, files, left);
    const std::string percent = fmt::format("{:3.0f} %", share * 100);
    for (const std::string& line :
         {fmt::format("{}  {} {}   {}{}", s.file, bar, percent, rate_text, tail),
          fmt::format("{}  {}   {}{}", s.file, percent, rate_text, tail),
          fmt::format("{}  {}{}", s.file, percent, tail)}) {
        if (static_cast<int>(line.size()) < width &&
            (width >= 72 || line.find('[') == std::string::npos))
            return line;
    }
    return (percent + tail).substr(0, static_cast<std::size_t>(std::max(1, width - 1)));
}

progress::progress(bool enabled)
    : enabled_(enabled && is_terminal(stderr)),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + std::chrono::milliseconds(500)) {}

progress::~progress() {
    erase();
}

void progress::draw(const progress_state& s) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    fmt::print(stderr, "\r\x1b[K{}", progress_line(s, elapsed.count(), columns(stderr)));
    std::fflush(stderr);
    drawn_ = true;
}

void progress::erase() {
    if (!drawn_) return;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
    drawn_ = false;
}

}  // namespace cdcscope::cli
