#include "analyzer/cli/notices.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/cli/terminal.h"
#include "analyzer/recover/foreign.h"
#include "analyzer/report/format.h"

namespace cdcscope::cli {
namespace {

using findings::code;

// What helps.
struct remedy {
    code of;
    std::string_view advice;
};
constexpr remedy remedies[] = {
    {code::capture_snaplen, "; capture with tcpdump -s 0"},
    {code::cap_memory, "; more memory keeps them"},
    {code::cap_message, "; if such messages are real, a larger --max-message takes them"},
    {code::tcp_mid_stream,
     "; findings of streams opened earlier are notes until they are asked for again"},
};

}  // namespace

std::string notice_line(const notice& n, std::uint64_t max_memory, std::uint64_t cut_messages) {
    const std::string file = printable(n.file),
                      frame = "#" + report::number(std::uint64_t{n.at.frame});
    std::string line;
    switch (n.what) {
        case code::capture_snaplen:
            line = fmt::format(
                "{}: packets are cut (snap length), {} is the first: {} missing in {}", file, frame,
                report::exact_bytes(n.bytes), report::count(n.count, "packet"));
            if (cut_messages > 0)
                line += fmt::format(", {} a header but no whole value",
                                    report::count(cut_messages, "message has", "messages have"));
            return line + std::string(remedy_of(n.what));
        case code::cap_memory:
            line =
                fmt::format("--max-memory {}, or the share of one connection, reached at {} {}: ",
                            report::bytes(max_memory), file, frame);
            break;
        case code::cap_message:
            line = fmt::format("{} {} (c{}): ", file, frame, n.connection);
            break;
        default:  // the others name their file themselves
            break;
    }
    line += report::directions_in_words(n.text);
    if (n.count > 1) line += fmt::format(" ({} times)", report::number(n.count));
    return line + std::string(remedy_of(n.what));
}

std::string_view remedy_of(findings::code what) noexcept {
    const auto* const found = std::ranges::find(remedies, what, &remedy::of);
    return found == std::end(remedies) ? std::string_view{} : found->advice;
}

void foreign_connections::add(std::uint32_t id, std::uint16_t port, recover::protocol carries,
                              recover::protocol promised, const recover::foreign_signs& what) {
    if (carries == recover::protocol::tls) {
        one_port_ = one_port_ && (encrypted_.empty() || port_ == port);
        port_ = port;
        encrypted_.push_back(what);
        return;
    }
    if (carries != recover::protocol::other || promised == recover::protocol::unknown ||
        what.name.empty())
        return;
    const auto same = std::ranges::find_if(
        kinds_, [&](const kind& k) { return k.port == port && k.name == what.name; });
    if (same != kinds_.end()) {
        ++same->count;
        return;
    }
    kinds_.push_back({port, what.name, recover::foreign_sentence(id, port, promised, what),
                      recover::foreign_advice(promised, what), 1});
}

std::string foreign_connections::encrypted() const {
    const bool one = encrypted_.size() == 1;
    return fmt::format(
        "the {}{} {} encrypted ({}), nothing inside can be read; capture on port 11210, or on the "
        "node before encryption",
        one ? "connection" : report::count(encrypted_.size(), "connection"),
        one_port_ ? fmt::format(" on port {}", port_) : "", one ? "is" : "are",
        recover::tls_words(encrypted_));
}

std::vector<std::string> foreign_connections::on_our_ports() const {
    std::vector<std::string> lines;
    for (const kind& k : kinds_) {
        lines.push_back(k.sentence);
        if (k.count > 1) lines.back() += fmt::format(" (and {} more)", report::number(k.count - 1));
        lines.back() += k.advice;
    }
    return lines;
}

}  // namespace cdcscope::cli
