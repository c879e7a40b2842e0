// Which protocol a connection carries: what its port promises, held against its first bytes; on any
// other port the content alone. Also which side is the client where neither SYN nor port tells.

#pragma once

#include <optional>
#include <string_view>

#include "analyzer/recover/framing.h"

namespace cdcscope::recover {

class detector {
  public:
    // How much of a direction without SYN is looked at where the port promises nothing.
    static constexpr std::size_t longest_look = std::size_t{128} << 10;

    struct verdict {
        protocol carries = protocol::other;
        std::string_view foreign;  // what it is instead, where that is known
        bool flip = false;         // the roles are the other way round
    };

    detector(protocol promised, bool roles_certain, const message_limits& limit)
        : promised_(promised), roles_certain_(roles_certain), limit_(limit) {}

    void begin(direction dir, bool from_syn) noexcept { sides_[index(dir)].from_syn = from_syn; }
    void roles_are_certain() noexcept { roles_certain_ = true; }
    // `bytes`: everything captured of `dir` so far, at least one. Mostly decided at once; nothing:
    // ask again with more.
    [[nodiscard]] std::optional<verdict> look(direction dir, byte_view bytes);
    // A hole follows `bytes`, perhaps none. What comes behind it stands in the middle of a stream.
    [[nodiscard]] std::optional<verdict> look_before_hole(direction dir, byte_view bytes);
    // No more bytes will come before the decision. `bytes` as before, by direction, perhaps none.
    [[nodiscard]] verdict decide(const byte_view (&bytes)[2]);

  private:
    enum class opinion : std::uint8_t {
        none,     // not a byte yet
        open,     // too few bytes
        promise,  // in the middle of a stream: the port is believed
        foreign,  // certainly none of ours
        dcp,
        canal,
        canal_admin,
        tls,
    };
    struct side {
        bool from_syn = false;
        bool sent_by_server = false;  // the content says so
        bool sent_by_client = false;
        opinion says = opinion::none;
        std::string_view foreign;
        std::size_t look_again_at = 0;
    };

    void judge(direction dir, byte_view bytes, bool last);
    [[nodiscard]] opinion judge_start(direction dir, byte_view bytes, bool last) const;
    [[nodiscard]] opinion judge_middle(side& s, byte_view bytes, bool last) const;
    void note_sender(side& s, protocol what, byte_view message) const;
    [[nodiscard]] std::optional<verdict> settle() const;
    [[nodiscard]] bool must_flip() const noexcept;

    protocol promised_;
    bool roles_certain_;
    message_limits limit_;
    side sides_[2];
};

}  // namespace cdcscope::recover
