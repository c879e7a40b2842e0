#include "analyzer/cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "analyzer/capture/file_errors.h"

namespace cdcscope::cli {

bool is_terminal(std::FILE* stream) {
    return isatty(fileno(stream)) == 1;
}

int columns(std::FILE* stream) {
    winsize size{};
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    if (const char* told = std::getenv("COLUMNS")) {
        const int n = std::atoi(told);
        if (n > 0) return n;
    }
    return 100;
}

bool use_color(color_choice choice, std::FILE* stream) {
    if (choice != color_choice::automatic) return choice == color_choice::always;
    const char* no_color = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    return is_terminal(stream) && (no_color == nullptr || *no_color == '\0') &&
           (term == nullptr || std::string_view(term) != "dumb");
}

void print_error(std::string_view text) {
    fmt::print(stderr, "cdcscope: {}\n", printable(text));
}

void print_warning(std::string_view text) {
    fmt::print(stderr, "cdcscope: warning: {}\n", printable(text));
}

bool print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
        std::fflush(stdout) == 0) {
        return true;
    }
    if (errno == EPIPE) return true;
    print_error("standard output: cannot write: " + capture::system_reason(errno));
    return false;
}

}  // namespace cdcscope::cli
