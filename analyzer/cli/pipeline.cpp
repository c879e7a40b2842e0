#include "analyzer/cli/pipeline.h"

#include <fmt/format.h>

#include "analyzer/cli/command.h"
#include "analyzer/cli/inputs.h"
#include "analyzer/cli/signals.h"
#include "analyzer/cli/terminal.h"
#include "analyzer/report/format.h"
#include "proto/findings/words.h"

namespace cdcscope::cli {
namespace {

track::options session_options(const common_options& o, dcp::observer* watch_dcp,
                               canal::observer* watch_canal) {
    constexpr dcp::collections_choice choices[] = {
        dcp::collections_choice::judge, dcp::collections_choice::on, dcp::collections_choice::off};
    return {.limits = o.limits,
            .collections = choices[static_cast<std::size_t>(o.collections)],
            .watch_dcp = watch_dcp,
            .watch_canal = watch_canal};
}

}  // namespace

recover::options recovery_options(const common_options& o) {
    recover::options chosen;
    for (const std::uint16_t port : o.dcp_ports) chosen.ports.add(recover::protocol::dcp, port);
    for (const std::uint16_t port : o.canal_ports) chosen.ports.add(recover::protocol::canal, port);
    if (o.protocol == protocol_choice::dcp) chosen.assume = recover::protocol::dcp;
    if (o.protocol == protocol_choice::canal) chosen.assume = recover::protocol::canal;
    if (o.max_message) {
        const auto longest =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(*o.max_message, 0x7fffffff));
        chosen.messages.dcp_body = chosen.messages.canal_packet = longest;
    }
    chosen.tcp.held_total = o.max_memory;
    // More memory in all is more for one direction, too.
    constexpr std::uint64_t shares = 32;
    chosen.tcp.held_per_direction =
        std::max(std::min(chosen.tcp.held_per_direction, o.max_memory), o.max_memory / shares);
    return chosen;
}

pipeline::pipeline(const common_options& o, std::string command, track::observer& to,
                   capture::observation_sink& observations, dcp::observer* watch_dcp,
                   canal::observer* watch_canal)
    : options_(o),
      session_(session_options(o, watch_dcp, watch_canal), to),
      recovery_(recovery_options(o), session_, observations),
      reader_({.segments = &recovery_, .observations = &observations, .exported = &recovery_},
              {.filter = o.filter, .follow = false, .command = std::move(command)}) {}

std::string open_captures(capture::reader& reader, const common_options& o) {
    if (const std::string twice = named_twice(o.captures); !twice.empty())
        return findings::printable(twice) + ": is named twice; name each capture once";
    std::string error = reader.open(o.captures);
    if (error.starts_with("--filter")) throw usage_error(error);
    return error;
}

void print_notices(const std::vector<notice>& lines) {
    for (const notice& n : lines) {
        const std::string text = report::plain_spaces(n.text);
        n.warns ? print_warning(text) : print_error(text);
    }
}

std::vector<notice> pipeline::notices(const std::vector<track::noticed>& observed) const {
    const tcp::limits limits = recovery_options(options_).tcp;
    return notices_of({.files = reader_.names(),
                       .observations = observed,
                       .packets = reader_.packets(),
                       .lost = session_.lost(),
                       .limits = limits,
                       .filtered = !options_.filter.empty()});
}

bool interrupted() noexcept {
    return stop_signal() != 0;
}

outcome pipeline::finish(outcome how) {
    reader_.finish();
    recovery_.finish();
    session_.finish();
    return how;
}

progress_state progress_of(const capture::reader& reader, std::uint64_t messages) {
    const capture::reading_progress p = reader.progress();
    const auto& names = reader.names();
    return {.file = p.file < names.size() ? names[p.file] : "",
            .done = p.done,
            .total = p.total,
            .messages = messages,
            .file_number = p.file + std::size_t{1},
            .files = names.size()};
}

}  // namespace cdcscope::cli
