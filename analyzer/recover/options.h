// What a user can choose about the recovery.
#pragma once

#include "analyzer/recover/detector.h"
#include "analyzer/recover/port_plan.h"
#include "analyzer/tcp/connection.h"

namespace cdcscope::recover {

struct options {
    port_plan ports;
    // What to take connections for whose ports promise nothing.
    protocol assume = protocol::unknown;
    message_limits messages;
    tcp::limits tcp;
};

// What the ports of a connection promise.
[[nodiscard]] inline detector detector_for(const tcp::connection_identity& who,
                                           const options& chosen) {
    protocol promised = chosen.ports.at(who.server.port);
    if (promised == protocol::unknown) promised = chosen.ports.at(who.client.port);
    if (promised == protocol::unknown) promised = chosen.assume;
    return {promised, who.roles_certain, chosen.messages};
}

}  // namespace cdcscope::recover
