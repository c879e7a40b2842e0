// --filter: libpcap's BPF expressions, on packets as captured, compiled once for each link type.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "analyzer/capture/packet.h"

namespace cdcscope::capture {

class packet_filter {
  public:
    packet_filter();
    ~packet_filter();
    packet_filter(const packet_filter&) = delete;
    packet_filter& operator=(const packet_filter&) = delete;

    // An empty expression lets everything through. The text of an error says where it is; empty if
    // there is none.
    [[nodiscard]] std::string set(std::string expression);

    // Whether the packet passes. False and an error() if the expression cannot be compiled for its
    // link type.
    [[nodiscard]] bool passes(const packet& p);
    [[nodiscard]] const std::string& error() const noexcept { return error_; }

  private:
    struct program;

    const program* find(std::uint32_t link_type);

    std::string expression_;
    std::map<std::uint32_t, std::unique_ptr<program>> programs_;
    std::string error_;
};

}  // namespace cdcscope::capture
