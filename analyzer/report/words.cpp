#include "analyzer/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyzer/report/format.h"
#include "proto/dcp/names.h"
#include "proto/findings/reference.h"

namespace cdcscope::report {

health health_of(severity s) noexcept {
    switch (s) {
        case severity::error:
            return health::error;
        case severity::warning:
            return health::warning;
        case severity::note:
            return health::note;
        case severity::chat:
            return health::ok;
    }
    return health::ok;
}

std::string_view word(health h) noexcept {
    constexpr std::array<std::string_view, 4> words{"healthy", "note", "warning", "error"};
    return words[static_cast<std::size_t>(h)];
}

std::string severity_words(severity s, bool uncertain) {
    return fmt::format("{}{}", findings::name(s), uncertain ? ", uncertain" : "");
}

char mark(health h, bool uncertain) noexcept {
    if (uncertain) return '?';
    constexpr std::array<char, 4> marks{' ', 'i', '!', 'x'};
    return marks[static_cast<std::size_t>(h)];
}

bool other_side_has_all(const connection& c, bool or_cut) noexcept {
    bool any = false;
    for (const auto& h : c.holes) {
        if (!h.is_gap) continue;
        any = true;
        const auto acked = h.why.find("acknowledged by TCP") != std::string::npos;
        const auto cut = h.why.find("snapshot length") != std::string::npos;
        if (!acked && !(or_cut && cut)) return false;
    }
    return any && c.holes_left_out == 0;
}

std::string pieces_words(const connection& c) {
    const hole* gap = nullptr;
    std::size_t gaps = 0, pieces = 0;
    for (const auto& h : c.holes) {
        (h.is_gap ? gaps : pieces) += 1;
        if (h.is_gap) gap = &h;
    }
    if (pieces == 0 || pieces > 4 || c.holes_left_out > 0) return {};
    std::string out;
    for (const auto& h : c.holes) {
        if (h.is_gap) continue;
        const std::string_view where = gaps != 1 || h.dir != gap->dir ? ""
                                       : h.offset < gap->offset       ? " before "
                                                                      : " after ";
        out += fmt::format("{}{}{}", out.empty() ? "" : ", ", exact_bytes(h.length), where);
        if (!where.empty()) out += out.find("the hole") == std::string::npos ? "the hole" : "it";
    }
    return pieces > 1 || gaps == 1 ? out : std::string{};
}

std::string_view role_words(role r) noexcept {
    constexpr std::array<std::string_view, 9> words{
        "DCP connection", "DCP consumer", "DCP replica", "DCP producer",    "KV application",
        "canal client",   "canal admin",  "TLS",         "another protocol"};
    return words[static_cast<std::size_t>(r)];
}

std::string_view protocol_word(const connection& c) noexcept {
    switch (c.what) {
        case role::kv_application:
            return "KV";
        case role::canal_client:
            return "canal";
        case role::canal_admin:
            return "admin";
        case role::tls:
            return "TLS";
        case role::other:
            return "other";
        default:
            return "DCP";
    }
}

std::string display_name(const connection& c) {
    const auto name = printable(c.short_name.empty() ? c.name : c.short_name),
               target = printable(c.target);
    if (c.what == role::canal_client && !target.empty()) {
        return name.empty() ? target : fmt::format("{} / {}", target, name);
    }
    if (!name.empty()) return name;
    if (!c.agent.empty()) return printable(c.agent);
    return std::string(role_words(c.what));
}

std::string role_and_target(const connection& c) {
    if (c.target.empty()) return std::string(role_words(c.what));
    return fmt::format("{}, {} {}", role_words(c.what),
                       c.what == role::canal_client ? "destination" : "bucket",
                       printable(c.target));
}

std::uint64_t messages_of(const connection& c) noexcept {
    return c.of[0].messages + c.of[1].messages;
}

byte_account bytes_of(const connection& c) noexcept {
    auto sum = c.of[0].bytes;
    sum += c.of[1].bytes;
    return sum;
}

std::string protocols_sentence(const model& m) {
    constexpr std::array<std::string_view, 6> order{"DCP", "KV", "canal", "admin", "TLS", "other"};
    std::string out;
    for (const auto protocol : order) {
        const auto n =
            std::count_if(m.connections.begin(), m.connections.end(),
                          [&](const connection& c) { return protocol_word(c) == protocol; });
        if (n == 0) continue;
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ",
                           number(static_cast<std::uint64_t>(n)), protocol);
    }
    if (out.empty()) return "no TCP connection";
    return fmt::format("{} connection{}", out, m.connections.size() == 1 ? "" : "s");
}

std::string beyond_words(std::uint64_t more, std::uint64_t unlisted) {
    if (unlisted == 0) return number(more) + " more in the JSON";
    if (unlisted >= more) return number(more) + " more";
    return fmt::format("{} more, {} of them in the JSON", number(more), number(more - unlisted));
}

std::string vbuckets_words(const std::vector<std::uint16_t>& partitions) {
    constexpr int most_runs = 8;
    std::string out;
    int runs = 0;
    for (std::size_t i = 0; i < partitions.size(); ++runs) {
        if (runs == most_runs)
            return fmt::format("{} and {} more", out, number(partitions.size() - i));
        auto last = i;
        while (last + 1 < partitions.size() && partitions[last + 1] == partitions[last] + 1) ++last;
        out += fmt::format("{}{}", out.empty() ? "vb " : ", ", partitions[i]);
        if (last > i) out += fmt::format("{}{}", last > i + 1 ? ".." : ", ", partitions[last]);
        i = last + 1;
    }
    return out;
}

std::string status_title(std::uint16_t status) {
    const auto* known = dcp::find_value(dcp::status_names, status);
    return known != nullptr ? std::string(known->title) : "unknown status";
}

std::string refusal_words(std::uint16_t status) {
    switch (status) {
        case dcp::status::key_eexists:
            return "duplicate";
        case dcp::status::erange:
            return "out of range";
        case dcp::status::not_my_vbucket:
            return "not my vbucket";
        default:
            break;
    }
    auto title = status_title(status);
    if (!title.empty() && title.front() >= 'A' && title.front() <= 'Z' && title.size() > 1 &&
        title[1] >= 'a') {
        title.front() = static_cast<char>(title.front() - 'A' + 'a');
    }
    return title;
}

std::string state_words(const batch_row& b) {
    return b.remark.empty() ? fate_words(b) : b.remark;
}

std::string fate_words(const batch_row& b) {
    switch (b.state) {
        case batch_state::open:
            return b.client_unseen ? "acknowledgement not captured" : "not acknowledged";
        case batch_state::acknowledged:
            return b.refused ? "refused, then acknowledged" : "acknowledged";
        case batch_state::rolled_back:
            return "rolled back";
        case batch_state::forgotten:
            return "forgotten by the server";
    }
    return {};
}

std::string state_words(const stream_row& s) {
    const auto times = s.times > 1 ? fmt::format(" {} ×", number(s.times)) : std::string{};
    switch (s.state) {
        case stream_state::requested:
            return "asked for, no answer";
        case stream_state::refused:
            return fmt::format("refused{}: {} (0x{:02x})", times, s.status_name, s.status);
        case stream_state::rolled_back:
            return fmt::format("rolled back to {}{}", number(s.rollback_to), times);
        case stream_state::closed:
            return "closed by the client";
        case stream_state::unknown_start:
            return "opened before the capture";
        case stream_state::ended:
            if (s.open_prepares > 0) {
                return fmt::format("{}, {} open", s.end_reason == 0 ? "finished" : s.end_name,
                                   count(s.open_prepares, "prepare"));
            }
            return s.end_reason == 0 ? "finished" : s.end_name;
        case stream_state::open:
            break;
    }
    if (s.open_prepares > 0)
        return fmt::format("open, {} pending", count(s.open_prepares, "prepare"));
    if (s.snapshot_known && !s.snapshot_complete) return "open, snapshot incomplete";
    return "open";
}

std::int64_t lifetime_of(const model& m, const stream_row& s) noexcept {
    const auto opened = s.state != stream_state::refused && s.state != stream_state::rolled_back;
    if (!opened || s.asked.frame == 0) return -1;
    const auto* c = m.find(s.connection);
    const auto end = s.finished.frame != 0 ? s.finished.time_ns
                     : c != nullptr        ? c->life.to
                                           : m.capture.span.to;
    return std::max<std::int64_t>(0, end - s.asked.time_ns);
}

std::string content_words(const batch_row& b) {
    auto out = count(b.rows, "row");
    for (const auto& t : b.tables) out += fmt::format(", {}", printable(t));
    if (b.ddl > 0) out += fmt::format(", {} DDL", number(b.ddl));
    if (b.repeated > 0)
        out += fmt::format(", {} delivered before, from {}:{} on",
                           count(b.repeated, "entry", "entries"), printable(b.journal),
                           b.first_position);
    return out;
}

std::string outcome_words(const durable_write& w) {
    switch (w.how) {
        case durable_write::outcome::committed:
            return fmt::format("commit {}", number(w.outcome_seqno));
        case durable_write::outcome::aborted:
            return fmt::format("abort {}", number(w.outcome_seqno));
        case durable_write::outcome::superseded:
            return "completed on disk";
        case durable_write::outcome::open:
            break;
    }
    return "none";
}

std::string folded_words(const model& m) {
    const auto all = m.hits.errors + m.hits.warnings + m.hits.notes;
    if (all == m.cards.size()) return {};
    return fmt::format(" (met {}; what is one fact on one connection is one finding)",
                       count(all, "time"));
}

std::string tally_sentence(const model& m) {
    return fmt::format("{}, {}, {} in {}{}.", count(m.hits.errors, "error"),
                       count(m.hits.warnings, "warning"), count(m.hits.notes, "note"),
                       count(m.cards.size(), "finding"), folded_words(m));
}

std::string chats_sentence(const model& m) {
    if (m.hits.chats == 0) return {};
    const auto one = m.hits.chats == 1;
    std::string which;
    for (const auto& f : m.findings) {
        if (!one || f.level != severity::chat || f.hits.empty()) continue;
        which = fmt::format(": {}", f.hits.front().text);
        if (f.connection != 0 && which.find("onnection") == std::string::npos)
            which += fmt::format(" (connection {})", f.connection);
    }
    return fmt::format("{} ({}) {} only in the JSON{}.", count(m.hits.chats, "chat"),
                       findings::meaning_of(severity::chat), one ? "is" : "are", which);
}

std::string length_words(const model& m) {
    const auto length = m.capture.span.length();
    if (length < 120'000'000'000 || length >= 600'000'000'000) return duration(length);
    return fmt::format("{:.1f}{}s", static_cast<double>(length) / 1e9, no_break_space);
}

std::string packets_looked_at(const model& m) {
    const auto all = count(m.capture.packets, "packet");
    if (m.filter.empty()) return all;
    return fmt::format("{} of {} (--filter)",
                       number(m.capture.packets - m.capture.left_out_packets), all);
}

std::string span_words(const model& m) {
    const auto& s = m.capture.span;
    const auto length = length_words(m);
    if (same_date(s.from, s.to)) {
        return fmt::format("{} {} to {} UTC ({})", date(s.from), time_of_day(s.from),
                           time_of_day(s.to), length);
    }
    return fmt::format("{} {} to {} {} UTC ({})", date(s.from), time_of_day(s.from), date(s.to),
                       time_of_day(s.to), length);
}

std::string time_words(const model& m, std::int64_t ns) {
    if (same_date(m.capture.span.from, m.capture.span.to)) return time_of_day(ns);
    return fmt::format("{} {}", date(ns), time_of_day(ns));
}

std::string file_list(const model& m) {
    std::string out;
    for (std::size_t i = 0; i < m.capture.files.size(); ++i) {
        if (i == 3 && m.capture.files.size() > 4) {
            return fmt::format("{} and {} more", out, m.capture.files.size() - i);
        }
        out += fmt::format("{}{}", i == 0 ? "" : ", ", printable(m.capture.files[i].name));
    }
    return out;
}

std::string title_words(const model& m, const card& c) {
    const auto* owner = m.find(c.connection);
    if (owner != nullptr && !owner->name.empty() && c.title.starts_with(display_name(*owner)))
        return c.title;
    return c.title.starts_with("vb ") ? c.title : capitalized(c.title);
}

std::string rules_words(const card& c) {
    if (c.rules.empty()) return {};
    std::string out;
    for (const auto& rule : c.rules) out += fmt::format("{}{}", out.empty() ? "" : ", ", rule);
    return fmt::format("rule{} {}", c.rules.size() > 1 ? "s" : "", out);
}

std::string id_ranges(std::vector<std::uint32_t> ids) {
    std::sort(ids.begin(), ids.end());
    std::string out;
    for (std::size_t i = 0; i < ids.size();) {
        auto end = i;
        while (end + 1 < ids.size() && ids[end + 1] == ids[end] + 1) ++end;
        const std::string_view comma = out.empty() ? "" : ", ";
        // Two in a row are shorter one by one.
        if (end - i >= 2) {
            out += fmt::format("{}c{} to c{}", comma, ids[i], ids[end]);
            i = end + 1;
        } else {
            out += fmt::format("{}c{}", comma, ids[i++]);
        }
    }
    return out;
}

std::string unparsed_words(const model& m) {
    std::uint64_t foreign = 0, cut = 0;
    for (const auto& c : m.connections) {
        const auto carries_ours =
            c.of[0].messages + c.of[1].messages + c.of[0].cut_messages + c.of[1].cut_messages > 0;
        (carries_ours ? cut : foreign) += bytes_of(c).unparsed;
    }
    std::string out;
    if (cut > 0 && m.capture.holes > 0) {
        out = fmt::format("pieces of the messages that the {} cut{}",
                          m.capture.holes == 1 ? "hole" : "holes", m.capture.holes == 1 ? "s" : "");
        if (m.capture.holes == 1) {
            for (const auto& c : m.connections) {
                if (const auto pieces = pieces_words(c); !pieces.empty() && foreign == 0)
                    out += fmt::format(" ({})", pieces);
            }
        }
    } else if (cut > 0) {
        out = "between messages";
    }
    if (foreign > 0) out += out.empty() ? "other protocols" : ", other protocols";
    return out;
}

std::string short_label(const display_filter& f) {
    if (f.needs_plugin) return "with plugin";
    const auto comma = f.label.find(", ");
    return comma == std::string::npos ? std::string("connection")
                                      : printable(f.label.substr(comma + 2));
}

std::string frames_filter(const std::vector<std::uint32_t>& frames) {
    if (frames.size() == 1) return fmt::format("frame.number == {}", frames.front());
    return fmt::format("frame.number in {{{}}}", fmt::join(frames, ", "));
}

}  // namespace cdcscope::report
