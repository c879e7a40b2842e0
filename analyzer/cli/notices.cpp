#include "analyzer/cli/notices.h"

#include <fmt/format.h>

#include "analyzer/report/format.h"

namespace cdcscope::cli {
namespace {

// What helps, by the beginning of the code.
struct remedy {
    std::string_view code, advice;
};
constexpr remedy remedies[] = {
    {"capture.snaplen", "; capture with tcpdump -s 0"},
    {"cap.held_bytes", "; a larger --max-memory keeps them"},
    {"cap.unfinished_bytes", "; a larger --max-memory keeps them"},
    {"cap.waiting_messages", "; a larger --max-memory keeps them"},
    {"cap.message_size", "; if such messages are real, --max-message takes them"},
};

}  // namespace

std::string notice_line(std::string_view code, std::string_view text, std::uint64_t count) {
    std::string line = report::directions_in_words(text);
    if (count > 1) line += fmt::format(" ({} times)", report::number(count));
    for (const auto& r : remedies) {
        if (r.code == code) line += r.advice;
    }
    return line;
}

}  // namespace cdcscope::cli
