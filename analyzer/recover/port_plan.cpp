#include "analyzer/recover/port_plan.h"

namespace cdcscope::recover {

port_plan::port_plan()
    : ports_{{11207, protocol::tls},
             {11210, protocol::dcp},
             {11110, protocol::canal_admin},
             {11111, protocol::canal}} {}

std::vector<std::uint16_t> port_plan::all() const {
    std::vector<std::uint16_t> ports;
    for (const auto& [port, what] : ports_) ports.push_back(port);
    return ports;
}

}  // namespace cdcscope::recover
