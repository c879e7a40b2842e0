// What the layers below the protocols noticed and what the capture lacks, as lines for people: the
// place, what, what to do. One line a kind, with a count.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/capture/reader.h"
#include "analyzer/recover/message.h"
#include "analyzer/recover/options.h"
#include "analyzer/track/figures.h"
#include "analyzer/track/losses.h"
#include "proto/findings/table.h"

namespace cdcscope::cli {

struct notice_facts {
    const std::vector<std::string>& files;  // by number of a frame's file
    const std::vector<track::noticed>& observations;
    const capture::packet_totals& packets;
    const track::losses& lost;
    const tcp::limits& limits;
    bool filtered = false;       // --filter: packets were left out
    bool reads_messages = true;  // false: of `streams`, which knows connections only
};
struct notice {
    bool warns = true;  // false: there was nothing to read
    std::string text;
};
[[nodiscard]] std::vector<notice> notices_of(const notice_facts& facts);
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
