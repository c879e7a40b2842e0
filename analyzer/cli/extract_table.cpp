#include "analyzer/cli/extract_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/cli/notices.h"
#include "analyzer/cli/pipeline.h"
#include "analyzer/cli/terminal.h"
#include "analyzer/cli/typed_again.h"
#include "analyzer/recover/foreign.h"
#include "analyzer/recover/port_plan.h"
#include "analyzer/report/format.h"

namespace cdcscope::cli {
namespace {

using track::connection_figures;

constexpr std::size_t most_rows = 20;
constexpr int narrow = 72;

std::string number(std::uint64_t n) {
    return report::number(n);
}

std::uint64_t sum(const connection_figures& c, std::uint64_t recover::direction_totals::*member) {
    return c.ways[0].*member + c.ways[1].*member;
}

bool is_ours(const connection_figures& c) {
    return c.info.carries == recover::protocol::dcp || c.info.carries == recover::protocol::canal ||
           c.info.carries == recover::protocol::canal_admin;
}

std::string_view role(const connection_figures& c) {
    switch (c.info.carries) {
        case recover::protocol::dcp:
            return c.speaks_dcp ? "DCP" : "KV";
        case recover::protocol::canal:
            return "canal";
        case recover::protocol::canal_admin:
            return "admin";
        case recover::protocol::tls:
            return "TLS";
        default:
            return "other";
    }
}

std::string shortened(const std::string& name, std::size_t most) {
    std::string text = printable(name);
    if (text.size() <= most) return text;
    const auto inside = [&](std::size_t at) {  // of a character
        return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
    };
    std::size_t tail = text.size() - (most - 2) / 2;
    std::size_t head = most - 2 - (most - 2) / 2;
    while (inside(tail)) ++tail;
    while (inside(head)) --head;
    return text.substr(0, head) + ".." + text.substr(tail);
}

// Ours by number; of many, those with most bytes.
std::vector<const connection_figures*> rows_of(const track::figures& figures) {
    std::vector<const connection_figures*> rows;
    for (const connection_figures& c : figures.connections()) {
        if (c.info.id != 0 && is_ours(c)) rows.push_back(&c);
    }
    if (rows.size() > most_rows) {
        const auto bytes = [](const connection_figures* c) {
            return sum(*c, &recover::direction_totals::stream_bytes);
        };
        std::ranges::stable_sort(rows, std::greater{}, bytes);
        rows.resize(most_rows);
        std::ranges::sort(rows, {}, [](const connection_figures* c) { return c->info.id; });
    }
    return rows;
}

std::string wide_row(const connection_figures& c) {
    return fmt::format(
        "  {:<4} {:<10} {:>12} {:>13} {:>9} {:>12}   {}\n", fmt::format("c{}", c.info.id), role(c),
        number(sum(c, &recover::direction_totals::messages)),
        number(sum(c, &recover::direction_totals::message_bytes)),
        number(sum(c, &recover::direction_totals::gap_bytes)),
        number(sum(c, &recover::direction_totals::unparsed_bytes)), shortened(c.name, 40));
}

std::string narrow_row(const connection_figures& c) {
    const std::uint64_t gap = sum(c, &recover::direction_totals::gap_bytes);
    const std::uint64_t unparsed = sum(c, &recover::direction_totals::unparsed_bytes);
    std::string text =
        fmt::format("  {:<4} {:<5} {:>9} messages {:>14} B", fmt::format("c{}", c.info.id), role(c),
                    number(sum(c, &recover::direction_totals::messages)),
                    number(sum(c, &recover::direction_totals::message_bytes)));
    if (gap + unparsed > 0) text += fmt::format("  {} gap, {} un.", number(gap), number(unparsed));
    return text + "\n";
}

// Of which part of the capture the figures are, where not all of it was asked for.
std::string part_of(const extract_facts& f) {
    std::string text;
    if (!f.asked->filter.empty()) {
        text += fmt::format("--filter let {} of {} through; the others were not looked at.\n",
                            number(f.packets->read - f.packets->left_out),
                            report::count(f.packets->read, "packet"));
    }
    if (const std::string limits = time_bounds(*f.asked); !limits.empty()) {
        const recover::direction_totals all = f.figures->totals();
        text += fmt::format("{} chose {} of {}; the figures below are of all.\n", limits,
                            number(f.run->written().messages),
                            report::count(all.messages + all.cut_messages, "message"));
    }
    return text;
}

std::string headline(const extract_facts& f) {
    const extraction::counts& written = f.run->written();
    const extract_output& out = f.run->output();
    const std::string name = out.to_standard_output() ? "-" : out.written();
    std::string text =
        fmt::format("{}  {}, {}", printable(name), report::count(written.streams, "stream"),
                    report::count(written.messages, "message"));
    if (written.rows > 0) text += ", " + report::count(written.rows, "row change");
    if (written.transactions > 0)
        text += ", " + report::count(written.transactions, "transaction record");
    return text + "\n" + part_of(f) + "\n";
}

std::string all_row(const extract_facts& f, bool wide) {
    recover::direction_totals all;
    for (const connection_figures& c : f.figures->connections()) {
        if (c.info.id == 0 || !is_ours(c)) continue;
        all.messages += sum(c, &recover::direction_totals::messages);
        all.message_bytes += sum(c, &recover::direction_totals::message_bytes);
        all.gap_bytes += sum(c, &recover::direction_totals::gap_bytes);
        all.unparsed_bytes += sum(c, &recover::direction_totals::unparsed_bytes);
        all.stream_bytes += sum(c, &recover::direction_totals::stream_bytes);
    }
    const std::string share = report::share(all.message_bytes, all.stream_bytes);
    if (wide) {
        return fmt::format(
            "  {:<4} {:<10} {:>12} {:>13} {:>9} {:>12}   of {} B of TCP streams: {}\n", "all", "",
            number(all.messages), number(all.message_bytes), number(all.gap_bytes),
            number(all.unparsed_bytes), number(all.stream_bytes), share);
    }
    return fmt::format("  {:<4} {:<5} {:>9} messages {:>14} B  of {}, {}\n", "all", "",
                       number(all.messages), number(all.message_bytes), number(all.stream_bytes),
                       share);
}

// What a row says of an observation: shorter than its own sentence where the table has the
// figures.
std::string words_of(const extract_facts& f, const track::noticed& n) {
    const auto& all = f.figures->connections();
    const connection_figures* c =
        n.connection == 0 || n.connection > all.size() ? nullptr : &all[n.connection - 1];
    if (n.what == findings::code::tcp_gap) {
        return n.count == 1
                   ? fmt::format("{} never captured before it", report::exact_bytes(n.bytes))
                   : fmt::format("{} never captured in {}, the first before it",
                                 report::exact_bytes(n.bytes), report::count(n.count, "hole"));
    }
    if (n.what == findings::code::tcp_resync && c != nullptr && n.by_connection.size() == 1) {
        const std::uint64_t holes = sum(*c, &recover::direction_totals::gaps);
        return fmt::format("{} {} not read; reading goes on at the next message",
                           report::exact_bytes(sum(*c, &recover::direction_totals::unparsed_bytes)),
                           holes == 0   ? "at the start"
                           : holes == 1 ? "around the hole"
                                        : "around the holes");
    }
    return report::directions_in_words(n.text) + std::string(remedy_of(n.what));
}

std::string warning_rows(const extract_facts& f) {
    std::string text;
    for (const track::noticed& n : f.figures->observations()) {
        if (!n.code.starts_with("tcp.") && !n.code.starts_with("ip.")) continue;
        if (!track::is_warning(n.what)) continue;
        std::string where = n.connection > 0 ? fmt::format("c{}", n.connection) : std::string{};
        if (n.at.frame > 0 && f.files != nullptr && n.at.file < f.files->size()) {
            where +=
                fmt::format("{}{} #{}", where.empty() ? "" : ", ", printable((*f.files)[n.at.file]),
                            number(std::uint64_t{n.at.frame}));
        }
        text += fmt::format("  {:<24} {:>3}  {}{}{}\n", n.code, n.count, where,
                            where.empty() ? "" : ": ", printable(words_of(f, n)));
    }
    return text.empty() ? text : "\n" + text;
}

struct seen_port {
    std::uint16_t port = 0;
    std::uint64_t bytes = 0;
    std::string name;  // of what it carries, if that is known

    [[nodiscard]] bool unknown() const { return name.empty(); }
    [[nodiscard]] std::string words() const {
        return name.empty() ? report::exact_bytes(bytes)
                            : fmt::format("{}, {}", report::exact_bytes(bytes), name);
    }
};

// Ports of the servers, by bytes: "12000 (61,204 B), 443 (9,876 B, TLS 1.3)".
std::vector<seen_port> ports_seen(const track::figures& figures) {
    std::map<std::uint16_t, seen_port> ports;
    for (const connection_figures& c : figures.connections()) {
        if (c.info.id == 0) continue;
        seen_port& p = ports[c.info.server.port];
        p.port = c.info.server.port;
        p.bytes += sum(c, &recover::direction_totals::stream_bytes);
        if (p.name.empty() && c.info.foreign != nullptr)
            p.name = recover::foreign_words(*c.info.foreign);
    }
    std::vector<seen_port> by_bytes;
    by_bytes.reserve(ports.size());
    for (auto& [port, seen] : ports) by_bytes.push_back(std::move(seen));
    std::ranges::stable_sort(by_bytes, std::greater{}, &seen_port::bytes);
    return by_bytes;
}

foreign_connections foreign_of(const track::figures& figures) {
    foreign_connections all;
    static const recover::foreign_signs nothing_known;
    for (const connection_figures& c : figures.connections()) {
        if (c.info.id == 0) continue;
        all.add(c.info.id, c.info.server.port, c.info.carries, c.info.promised,
                c.info.foreign == nullptr ? nothing_known : *c.info.foreign);
    }
    return all;
}

}  // namespace

std::string extract_table(const extract_facts& f) {
    const bool wide = f.width >= narrow;
    std::string text = headline(f);
    const auto rows = rows_of(*f.figures);
    if (!rows.empty()) {
        if (wide) {
            text += fmt::format("  {:<4} {:<10} {:>12} {:>13} {:>9} {:>12}\n", "from", "",
                                "messages", "bytes", "gap B", "unparsed B");
        }
        for (const connection_figures* c : rows) text += wide ? wide_row(*c) : narrow_row(*c);
        const auto ours = static_cast<std::size_t>(std::ranges::count_if(
            f.figures->connections(),
            [](const connection_figures& c) { return c.info.id != 0 && is_ours(c); }));
        if (ours > rows.size()) text += fmt::format("  and {} more\n", number(ours - rows.size()));
        text += all_row(f, wide);
    }
    text += warning_rows(f);
    const std::string& out = f.run->output().name();
    if (out.ends_with(".ss") && f.run->output().files() == 1) {
        text += "\nRead on:         cdcscope ss cat " + printable(out);
    }
    text += '\n';
    const auto& given = *f.captures;  // standard input can not be read again
    if (std::find(given.begin(), given.end(), "-") == given.end())
        text += "What went wrong: " + printable(typed_again("report", *f.asked)) + "\n";
    return text;
}

std::string nothing_there(const extract_facts& f) {
    if (f.run->written().messages > 0) return {};
    const std::string& file = f.captures->front();
    if (f.packets->read == 0) {
        const bool damaged =
            std::ranges::any_of(f.figures->observations(), [](const track::noticed& n) {
                return n.what == findings::code::capture_truncated_file;
            });
        if (damaged) return file + ": no packet could be read";
        return fmt::format(
            "{}: no packets; was the capture filter right? tcpdump -w x.pcap 'tcp port 11210 or "
            "tcp port 11111'",
            file);
    }
    const std::string limits = time_bounds(*f.asked);
    if (const auto outside = f.figures->totals().messages; outside > 0 && !limits.empty()) {
        return fmt::format("{}: no DCP or canal message within {}; {} outside", file, limits,
                           report::count(outside, "message"));
    }
    const auto& connections = f.figures->connections();
    const foreign_connections foreign = foreign_of(*f.figures);
    if (foreign.encrypted_count() > 0 && foreign.encrypted_count() == connections.size())
        return fmt::format("{}: {}", file, foreign.encrypted());
    std::string text = fmt::format("{}: no DCP or canal message in {}, {}", file,
                                   report::count(f.packets->read, "packet"),
                                   report::count(connections.size(), "TCP connection"));
    const auto ports = ports_seen(*f.figures);
    for (std::size_t i = 0; i < ports.size() && i < 5; ++i) {
        text += fmt::format("{}{} ({})", i == 0 ? "; ports seen: " : ", ", ports[i].port,
                            ports[i].words());
    }
    if (!f.asked->filter.empty())
        return text + ". --filter lets no other packets through; was it right?";
    // What is looked for on this port already is not to be asked for.
    const recover::port_plan looked_for = recovery_options(*f.asked).ports;
    const auto guess = std::ranges::find_if(ports, [&](const seen_port& p) {
        return p.unknown() && looked_for.at(p.port) == recover::protocol::unknown;
    });
    if (guess != ports.end())
        text += fmt::format(". If one of them is yours: --port dcp={}", guess->port);
    return text;
}

std::vector<std::string> foreign_beside(const extract_facts& f) {
    const foreign_connections foreign = foreign_of(*f.figures);
    std::vector<std::string> lines = foreign.on_our_ports();
    const bool said = f.run->written().messages == 0 &&
                      foreign.encrypted_count() == f.figures->connections().size();
    if (foreign.encrypted_count() > 0 && !said) lines.push_back(foreign.encrypted());
    for (std::string& line : lines) line = fmt::format("{}: {}", f.captures->front(), line);
    return lines;
}

std::string what_is_missing(const extract_facts& f) {
    recover::direction_totals all;
    std::string where;
    for (const connection_figures& c : f.figures->connections()) {
        if (c.info.id == 0 || !is_ours(c)) continue;
        const std::uint64_t gap = sum(c, &recover::direction_totals::gap_bytes);
        const std::uint64_t unparsed = sum(c, &recover::direction_totals::unparsed_bytes);
        const std::uint64_t cut = sum(c, &recover::direction_totals::cut_messages);
        all.gap_bytes += gap;
        all.gaps += sum(c, &recover::direction_totals::gaps);
        all.unparsed_bytes += unparsed;
        all.cut_messages += cut;
        if (gap + unparsed + cut > 0 && where.size() < 60)
            where += fmt::format("{}c{}", where.empty() ? "" : ", ", c.info.id);
    }
    std::vector<std::string> parts;
    if (all.gap_bytes > 0) {
        parts.push_back(
            fmt::format("{} B in {}", number(all.gap_bytes), report::count(all.gaps, "gap")));
    }
    if (all.unparsed_bytes > 0)
        parts.push_back(fmt::format("{} unparsed B", number(all.unparsed_bytes)));
    if (all.cut_messages > 0) parts.push_back(report::count(all.cut_messages, "cut message"));
    for (const track::noticed& n : f.figures->observations()) {
        if (n.code == "capture.truncated_file") parts.emplace_back("a cut file");
        if (n.code.starts_with("cap."))
            parts.push_back("a limit that was hit (" + std::string(n.code) + ")");
    }
    if (f.run->written().messages == 0) parts.emplace_back("no message at all");
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    }
    return where.empty() ? text : text + " (" + where + ")";
}

}  // namespace cdcscope::cli
