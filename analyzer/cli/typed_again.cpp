#include "analyzer/cli/typed_again.h"

#include <fmt/format.h>

namespace cdcscope::cli {
namespace {

// A word as a shell takes it: in quotes where there are blanks or signs in it.
std::string quoted(const std::string& word) {
    const bool plain = word.find_first_of(" \t'\"\\$&|;<>()*?!#~`") == std::string::npos;
    if (plain) return word;
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace

std::string typed_again(std::string_view command, const common_options& o) {
    std::string out = fmt::format("cdcscope {}", command);
    for (const std::string& name : o.captures) out += " " + quoted(name);
    if (o.protocol != protocol_choice::automatic)
        out += o.protocol == protocol_choice::dcp ? " --protocol dcp" : " --protocol canal";
    if (!o.filter.empty()) out += " --filter " + quoted(o.filter);
    if (o.since) out += " --since " + quoted(o.since->text);
    if (o.until) out += " --until " + quoted(o.until->text);
    for (const std::uint16_t port : o.dcp_ports) out += fmt::format(" --port dcp={}", port);
    for (const std::uint16_t port : o.canal_ports) out += fmt::format(" --port canal={}", port);
    if (o.max_memory != common_options().max_memory)
        out += fmt::format(" --max-memory {}", o.max_memory);
    if (o.max_message) out += fmt::format(" --max-message {}", *o.max_message);
    if (o.collections != collections_choice::automatic)
        out += o.collections == collections_choice::on ? " --collections on" : " --collections off";
    for (const findings::threshold& t : findings::limit_table()) {
        if (const double value = o.limits.get(t.which); value != t.value)
            out += fmt::format(" --threshold {}={}", t.name, value);
    }
    return out;
}

}  // namespace cdcscope::cli
