// A source whose first bytes can be looked at before they are read.
#pragma once

#include <memory>
#include <vector>

#include "analyzer/capture/byte_source.h"
#include "proto/wire/bytes.h"

namespace cdcscope::capture {

class peek_source final : public byte_source {
  public:
    explicit peek_source(std::unique_ptr<byte_source> inner) : inner_(std::move(inner)) {}

    // The next n bytes, or fewer if the source ends or pauses before. Valid until the next call.
    byte_view peek(std::size_t n);
    // State of the last read that peek() needed.
    [[nodiscard]] read_state peeked() const noexcept { return last_; }

    read_result read(std::span<std::uint8_t> into) override;
    [[nodiscard]] bool can_pause() const noexcept override { return inner_->can_pause(); }
    [[nodiscard]] std::string problem() const override { return inner_->problem(); }

  private:
    std::unique_ptr<byte_source> inner_;
    std::vector<std::uint8_t> front_;  // read, not yet given
    std::size_t given_ = 0;            // of front_
    read_state last_ = read_state::data;
};

}  // namespace cdcscope::capture
