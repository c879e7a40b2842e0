// Names what a connection carries if it is none of our protocols.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/recover/message.h"
#include "proto/wire/bytes.h"
#include "proto/wire/direction.h"

namespace cdcscope::recover {

[[nodiscard]] bool is_tls_record(byte_view first) noexcept;
// Whether so few bytes may become a record.
[[nodiscard]] bool may_begin_tls(byte_view first) noexcept;
// "HTTP", "MySQL", "TLS" ...; empty if nothing well known begins like this.
[[nodiscard]] std::string_view name_foreign(byte_view first) noexcept;

// "MySQL (server greeting "5.7.22-log")", "TLS 1.3", "TLS, 1.3 offered", "HTTP".
[[nodiscard]] std::string foreign_words(const foreign_signs& what);
// "TLS 1.2 and 1.3", of several connections; those of which no version is known are counted.
[[nodiscard]] std::string tls_words(const std::vector<foreign_signs>& all);
// "c3 on port 11111 is not canal: it speaks MySQL (server greeting "5.7.22-log")": the
// one sentence that every command says of it.
[[nodiscard]] std::string foreign_sentence(std::string_view who, std::uint16_t port,
                                           protocol promised, const foreign_signs& what);
// What to do about it; begins with a semicolon.
[[nodiscard]] std::string_view foreign_advice(protocol promised,
                                              const foreign_signs& what) noexcept;

// Reads the first bytes of both directions until they have told all they can.
class foreign_watch {
  public:
    explicit foreign_watch(std::string_view name);

    // The next bytes of `dir`, from its beginning. True: something has become known.
    bool on_bytes(direction dir, byte_view bytes);
    // A hole in `dir`: what comes behind it tells nothing.
    void on_missing(direction dir) noexcept { close(dir); }
    [[nodiscard]] bool done() const noexcept { return closed_[0] && closed_[1]; }
    [[nodiscard]] const foreign_signs& signs() const noexcept { return signs_; }
    [[nodiscard]] std::uint64_t held() const noexcept { return head_[0].size() + head_[1].size(); }

  private:
    void close(direction dir) noexcept;
    [[nodiscard]] bool read_tls(direction dir);
    [[nodiscard]] bool read_mysql(direction dir);

    foreign_signs signs_;
    std::vector<std::uint8_t> head_[2];  // by direction
    bool closed_[2] = {false, false};
    bool chosen_ = false;  // TLS: the server has said which version
};

}  // namespace cdcscope::recover
