// Where messages of a protocol begin and end: in step, and as guesses of a search. Facts about
// bytes only; proto/ does the looking.
#pragma once

#include "analyzer/recover/message.h"

namespace cdcscope::recover {

struct message_limits {
    std::uint32_t dcp_body = 32U << 20;
    std::uint32_t canal_packet = 128U << 20;
};

class framing {
  public:
    framing() = default;
    framing(protocol what, const message_limits& limit) : what_(what), limit_(limit) {}
    // As above, for what `dir` sends.
    framing(protocol what, const message_limits& limit, direction dir)
        : what_(what), limit_(limit), holds_rows_(dir == direction::s2c) {}

    enum class outcome : std::uint8_t { need_more, message, broken };
    struct step {
        outcome state = outcome::need_more;
        std::uint64_t length = 0;  // message: all of it; need_more: bytes needed before asking
                                   // again; broken: what a length over the limit claims
        std::string_view why;      // broken
        bool too_long = false;     // broken: a good header but for its length
    };
    // The message at the start of `bytes`, which follows the one before.
    [[nodiscard]] step read(byte_view bytes) const noexcept;

    enum class match : std::uint8_t { no, partial, whole };
    struct guess {
        match verdict = match::no;  // partial: right as far as the bytes go
        std::uint64_t length = 0;   // 0: not known yet
    };
    // Whether a message may begin here, judged by all that one message alone can tell. `bytes` go
    // on to the end of what is here.
    [[nodiscard]] guess check(byte_view bytes) const noexcept;
    // The first place at or after `from` that is worth a check; bytes.size() if there is none.
    [[nodiscard]] std::size_t next_possible(byte_view bytes, std::size_t from) const noexcept;

    // How many candidates in a row are proof. A canal row can hold packets, so there no number is;
    // requests hold no rows.
    [[nodiscard]] std::size_t proof() const noexcept {
        return what_ == protocol::dcp || !holds_rows_ ? 3 : static_cast<std::size_t>(-1);
    }
    // Bytes of a header, fewer of which at the end of a run prove nothing and break nothing.
    [[nodiscard]] std::size_t header_size() const noexcept {
        return what_ == protocol::dcp ? 24 : 4;
    }
    // What the largest message takes.
    [[nodiscard]] std::uint64_t largest() const noexcept {
        return what_ == protocol::dcp ? std::uint64_t{limit_.dcp_body} + 24
                                      : std::uint64_t{limit_.canal_packet} + 4;
    }
    // The limit that a length may not pass.
    [[nodiscard]] std::uint32_t longest() const noexcept {
        return what_ == protocol::dcp ? limit_.dcp_body : limit_.canal_packet;
    }
    // Whether so much of a message makes it a cut one: header, extras and key are here. DCP only.
    [[nodiscard]] bool cut_is_message(byte_view captured) const noexcept;
    [[nodiscard]] protocol what() const noexcept { return what_; }

  private:
    protocol what_ = protocol::unknown;
    message_limits limit_;
    bool holds_rows_ = true;
};

}  // namespace cdcscope::recover
