// Findings of one protocol, by the message at which they became certain. Filled on the first pass,
// shown on every pass.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/findings/finding.h"

namespace cdcscope {

class finding_store final : public findings::finding_sink {
  public:
    // Findings whose event is no message (0) are kept for the capture's last message.
    void on_finding(findings::finding found) noexcept override;

    // Calls `action(finding)` for each finding of a message, in the order they were found.
    template <typename Action>
    void each(std::uint32_t message, Action action) const {
        for (std::uint32_t at = head(message); at != none; at = next_[at]) action(found_[at]);
    }
    [[nodiscard]] bool any(std::uint32_t message) const noexcept { return head(message) != none; }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    [[nodiscard]] std::uint32_t head(std::uint32_t message) const noexcept {
        return message < heads_.size() ? heads_[message].first : none;
    }
    void append(std::uint32_t message, std::uint32_t at);

    struct list {
        std::uint32_t first = none, last = none;
    };
    std::vector<findings::finding> found_;
    std::vector<std::uint32_t> next_;  // parallel to found_
    std::vector<list> heads_;          // by message
};

}  // namespace cdcscope
