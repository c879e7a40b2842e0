// What the layers below the protocols noticed, as lines for people: directions in words, the place,
// what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/recover/message.h"
#include "proto/findings/table.h"

namespace cdcscope::cli {

// All observations of one code; place and text are those of the first.
struct notice {
    findings::code what{};
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint32_t connection = 0;  // 0: of none
    frame_ref at;                  // frame 0: of none
    std::string_view file;         // its name
    std::string_view text;
};

// A line of warning: "WHERE: WHAT; WHAT TO DO". `cut_messages`: those that the snap length cut.
[[nodiscard]] std::string notice_line(const notice& n, std::uint64_t max_memory,
                                      std::uint64_t cut_messages);
// What to do; begins with a semicolon. Empty: nothing helps.
[[nodiscard]] std::string_view remedy_of(findings::code what) noexcept;

// Connections that carry none of our protocols, in the words that every command has for them.
class foreign_connections {
  public:
    // `promised`: what its port stands for.
    void add(std::uint32_t id, std::uint16_t port, recover::protocol carries,
             recover::protocol promised, const recover::foreign_signs& what);

    [[nodiscard]] std::size_t encrypted_count() const noexcept { return encrypted_.size(); }
    // "the 6 connections on port 11207 are encrypted (TLS 1.2 and 1.3), nothing inside can be read;
    // capture on ...".
    [[nodiscard]] std::string encrypted() const;
    // A sentence for each kind that speaks something else on a port of ours: "connection 3 on port
    // 11111 is not canal: it speaks MySQL ...; the binlog itself is not read. Capture between ...".
    [[nodiscard]] std::vector<std::string> on_our_ports() const;

  private:
    struct kind {
        std::uint16_t port = 0;
        std::string_view name;
        std::string sentence;
        std::string_view advice;
        std::uint64_t count = 0;
    };
    std::vector<kind> kinds_;
    std::vector<recover::foreign_signs> encrypted_;
    std::uint16_t port_ = 0;  // of the last encrypted one
    bool one_port_ = true;
};

}  // namespace cdcscope::cli
