// Which port promises which protocol: the usual ones, and those that --port adds.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/recover/message.h"

namespace cdcscope::recover {

class port_plan {
  public:
    // DCP 11210, TLS 11207, canal 11111, its admin port 11110.
    port_plan();

    void add(protocol what, std::uint16_t port) { ports_[port] = what; }
    // protocol::unknown: the content decides.
    [[nodiscard]] protocol at(std::uint16_t port) const noexcept {
        const auto found = ports_.find(port);
        return found == ports_.end() ? protocol::unknown : found->second;
    }
    [[nodiscard]] std::vector<std::uint16_t> all() const;

  private:
    std::map<std::uint16_t, protocol> ports_;
};

}  // namespace cdcscope::recover
