#include "analyzer/report/client_name.h"

#include <fmt/format.h>

#include "proto/dcp/json_members.h"

namespace cdcscope::report {
namespace {

using dcp::field_id;

struct parts {
    std::string agent, id;
};

parts parts_of(std::string_view json) {
    parts p;
    dcp::member_list members;
    if (!members.read(field_id::hello_agent, as_bytes(json))) return p;
    for (const auto& one : members.items()) {
        if (one.field == field_id::agent_name) p.agent = members.text(one);
        if (one.field == field_id::agent_connection) p.id = members.text(one);
    }
    return p;
}

}  // namespace

std::string agent_name(std::string_view hello) {
    auto agent = parts_of(hello).agent;
    return agent.empty() ? std::string(hello) : agent;
}

std::string short_name(std::string_view name) {
    const auto bare = name.starts_with('"');
    if (!bare && !name.starts_with('{')) return {};
    const std::string_view before = bare ? "{" : "", after = bare ? "}" : "";
    auto p = parts_of(fmt::format("{}{}{}", before, name, after));
    // A name has 200 bytes at most; a longer one was cut inside its last text.
    if (p.id.empty()) p = parts_of(fmt::format("{}{}\"}}", before, name));
    if (p.id.empty()) return {};
    const auto agent = p.agent.substr(0, p.agent.find(' '));
    return agent.empty() ? p.id : fmt::format("{} {}", agent, p.id);
}

}  // namespace cdcscope::report
