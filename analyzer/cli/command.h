// How a subcommand hooks into the command line: it adds its options and says what to run once
// everything was parsed.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace CLI {
class App;
}

namespace cdcscope::cli {

// Exit statuses of the contract.
namespace exit_status {
inline constexpr int done = 0;  // also when the reader of standard output closes it
inline constexpr int failed = 1;
inline constexpr int wrong_use = 2;
inline constexpr int demanded = 3;  // done, but --strict or --fail-on has something to fail on
inline constexpr int interrupted = 130;
inline constexpr int terminated = 143;
}  // namespace exit_status

// Set by the subcommand that was named; main runs it after parsing and exits with what it returns.
using action = std::function<int()>;

// A value that no option takes: status 2, one line. "--port dcp=112100: a port is 1 to 65535".
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Each lives in a file of its name.
void add_extract_command(CLI::App& app, action& run);
void add_report_command(CLI::App& app, action& run);
void add_streams_command(CLI::App& app, action& run);
void add_ss_commands(CLI::App& app, action& run);
void add_explain_command(CLI::App& app, action& run);

}  // namespace cdcscope::cli
