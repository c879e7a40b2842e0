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

class teller {
  public:
    explicit teller(const notice_facts& f) : f_(f) {}

    std::vector<notice> all() {
        for (const track::noticed& n : f_.observations) {
            if (n.code.starts_with("capture.") || n.code.starts_with("cap.")) tell(n);
        }
        if (f_.lost.holes.count > 0) say(holes());
        if (f_.lost.late_starts.count > 0) say(late_starts());
        if (f_.lost.one_sided > 0) say(one_sided());
        return std::move(all_);
    }

  private:
    void say(std::string text) { all_.push_back({true, std::move(text)}); }
    [[nodiscard]] std::string place(const frame_ref& at) const {
        const std::string file = at.file < f_.files.size() ? printable(f_.files[at.file]) : "";
        return fmt::format("{} #{}", file, report::number(std::uint64_t{at.frame}));
    }

    void tell(const track::noticed& n) {
        switch (n.what) {
            case code::capture_snaplen:
                return say(snap_length(n));
            case code::cap_memory:
                return say(memory(n));
            case code::cap_message:
                return say(fmt::format("{} (c{}): {}{}{}", place(n.at), n.connection, n.text,
                                       times(n.count), remedy_of(n.what)));
            case code::capture_no_packets:
                all_.push_back({f_.packets.read > 0, n.text + times(n.count)});
                return;
            default:  // the others name their file themselves
                return say(report::directions_in_words(n.text) + times(n.count) +
                           std::string(remedy_of(n.what)));
        }
    }

    static std::string times(std::uint64_t count) {
        return count > 1 ? fmt::format(" ({} times)", report::number(count)) : "";
    }

    [[nodiscard]] std::string snap_length(const track::noticed& n) const {
        std::string line =
            fmt::format("{}: packets are cut to {} (snap length): ",
                        n.at.file < f_.files.size() ? printable(f_.files[n.at.file]) : "",
                        report::exact_bytes(f_.packets.cut_to));
        if (const std::uint64_t cut = f_.lost.snaplen_messages; cut > 0)
            line += fmt::format("{} a header but no whole value, ",
                                report::count(cut, "message has", "messages have"));
        return line + fmt::format("{} missing in {}{}", report::exact_bytes(n.bytes),
                                  report::count(n.count, "packet"), remedy_of(n.what));
    }

    // Of one connection, or of the first and so many more.
    static std::string of_connections(const track::loss& l) {
        std::string text = fmt::format("c{}", l.connection);
        if (l.connections > 1)
            text += " and " + report::count(l.connections - 1, "more connection");
        return text;
    }

    [[nodiscard]] std::string memory(const track::noticed& n) const {
        if (n.connection == 0) return place(n.at) + ": " + n.text + times(n.count);  // fragments
        const std::uint64_t total = f_.limits.held_total;
        const std::uint64_t share = f_.limits.held_per_direction;
        std::string line = fmt::format("--max-memory {}", report::bytes(total));
        if (share < total)
            line += fmt::format(", {} of it for one direction,", report::bytes(share));
        line += fmt::format(" reached at {}: ", place(n.at));
        const track::loss& gaps = f_.lost.given_up;
        if (gaps.count == 0)
            return line + report::directions_in_words(n.text) + times(n.count) +
                   std::string(remedy_of(n.what));
        line += fmt::format("{} of late segments of {} given up as {}", report::bytes(gaps.bytes),
                            of_connections(gaps),
                            gaps.count == 1 ? "a gap" : report::count(gaps.count, "gap"));
        if (n.count > gaps.count)
            line += fmt::format(", unfinished or waiting messages let go{}",
                                times(n.count - gaps.count));
        return line + std::string(remedy_of(n.what));
    }

    [[nodiscard]] std::string holes() const {
        const track::loss& l = f_.lost.holes;
        std::string line = l.count == 1
                               ? fmt::format("{} (c{}): {} never captured", place(l.at),
                                             l.connection, report::exact_bytes(l.bytes))
                               : fmt::format("{} (c{}) and {}: {} never captured", place(l.at),
                                             l.connection, report::count(l.count - 1, "more hole"),
                                             report::exact_bytes(l.bytes));
        if (l.connections > 1)
            line += fmt::format(" in {}", report::count(l.connections, "connection"));
        if (!f_.reads_messages) return line + "; capture with a larger buffer: tcpdump -B 65536";
        if (f_.lost.unreadable > 0)
            line += fmt::format(", {} around the {} unreadable",
                                report::exact_bytes(f_.lost.unreadable),
                                l.count == 1 ? "hole" : "holes");
        const bool at_end = l.count == 1 && f_.lost.ends_in_hole;
        return line +
               (at_end ? "; nothing came behind it" : "; reading goes on at the next message");
    }

    [[nodiscard]] std::string late_starts() const {
        const track::loss& l = f_.lost.late_starts;
        return fmt::format(
            "{}, c{}: the capture starts in the middle of the connection{}{}", place(l.at),
            l.connection,
            l.count > 1 ? fmt::format(" ({} connections)", report::number(l.count)) : "",
            f_.reads_messages ? remedy_of(code::tcp_mid_stream)
                              : "; capture before the client connects");
    }

    [[nodiscard]] std::string one_sided() const {
        const track::losses& l = f_.lost;
        const std::string_view which = l.from_server == l.one_sided ? "server to client"
                                       : l.from_server == 0         ? "client to server"
                                                                    : "one way or the other";
        const std::size_t file = l.one_sided_at.file;
        std::string line = fmt::format(
            "{}: only one direction captured in {} of {} ({}); {}",
            printable(f_.files[file < f_.files.size() ? file : 0]), report::number(l.one_sided),
            report::count(l.ours, "connection"), which,
            f_.reads_messages ? "messages are read, findings that need both sides are off. " : "");
        const std::string_view advice =
            f_.filtered ? "--filter may have left out the other one"
                        : "Capture on the host itself, or both sides of the mirror port";
        line += advice;
        if (!f_.reads_messages && !f_.filtered) line[line.size() - advice.size()] = 'c';
        return line;
    }

    const notice_facts& f_;
    std::vector<notice> all_;
};

}  // namespace

std::vector<notice> notices_of(const notice_facts& facts) {
    return teller(facts).all();
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
    kinds_.push_back({port, what.name,
                      recover::foreign_sentence(fmt::format("c{}", id), port, promised, what),
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
