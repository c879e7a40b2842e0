#include "analyzer/cli/signals.h"

#include <csignal>

#include "analyzer/cli/command.h"

namespace cdcscope::cli {
namespace {

volatile std::sig_atomic_t received = 0;

void on_signal(int number) {
    received = number;
    std::signal(number, SIG_DFL);
}

}  // namespace

void catch_signals() {
    struct sigaction act {};
    act.sa_handler = on_signal;  // no SA_RESTART: a read that waits for a pipe must end, too
    sigaction(SIGINT, &act, nullptr);
    sigaction(SIGTERM, &act, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

int stop_signal() noexcept {
    return received;
}

int stop_status() noexcept {
    return received == SIGTERM ? exit_status::terminated : exit_status::interrupted;
}

}  // namespace cdcscope::cli
