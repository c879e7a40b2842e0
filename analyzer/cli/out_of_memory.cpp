#include "analyzer/cli/out_of_memory.h"

#include <unistd.h>

#include <cstring>
#include <new>

#include "analyzer/cli/command.h"

namespace cdcscope::cli {
namespace {

constexpr std::size_t stack_in_use = std::size_t{512} << 10;

[[noreturn]] void give_up() {
    constexpr std::string_view before = "cdcscope: ";
    char line[before.size() + out_of_memory.size() + 1];
    std::memcpy(line, before.data(), before.size());
    std::memcpy(line + before.size(), out_of_memory.data(), out_of_memory.size());
    line[sizeof line - 1] = '\n';
    (void)!::write(STDERR_FILENO, line, sizeof line);
    ::_exit(exit_status::failed);
}

// The stack grows by page faults, which can not be told that there is no memory: it takes early
// what it needs.
void take_stack() {
    volatile char room[stack_in_use];
    for (std::size_t at = 0; at < sizeof room; at += 4096) room[at] = 0;
}

}  // namespace

void end_without_memory() noexcept {
    take_stack();
    std::set_new_handler(give_up);
}

}  // namespace cdcscope::cli
