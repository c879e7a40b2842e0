// What Couchbase clients call themselves, where that is JSON: {"a":"agent ...","i":"id"}.
#pragma once

#include <string>
#include <string_view>

namespace cdcscope::report {

// HELLO's key is the agent's name, or JSON that has it.
[[nodiscard]] std::string agent_name(std::string_view hello);

// Of a connection's name that is JSON, with or without its braces, what tells it from others: the
// first word of the agent, and the id. Empty if the name is something else.
[[nodiscard]] std::string short_name(std::string_view name);

}  // namespace cdcscope::report
