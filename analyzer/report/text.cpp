#include "analyzer/report/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/format.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/text_chart.h"
#include "analyzer/report/text_details.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

constexpr std::size_t shown_connections = 50;
constexpr std::size_t narrow_below = 96;

class text_page {
  public:
    text_page(const model& m, const text_options& o)
        : m_(m),
          o_(o),
          width_(std::max<std::size_t>(o.width, 40)),
          narrow_(width_ < narrow_below) {}

    std::string make() {
        head();
        if (m_.result == verdict_kind::nothing_recovered || m_.result == verdict_kind::encrypted) {
            capture();
            ports();
            return std::move(out_);
        }
        verdict();
        capture();
        connections();
        findings();
        if (o_.all) {
            details();
            resume();
        }
        last_words();
        return std::move(out_);
    }

  private:
    void line(std::string_view text = {}) {
        out_ += plain_spaces(printable(text));
        out_ += '\n';
    }
    void paragraph(std::string_view text, std::size_t indent = 0) {
        wrap(out_, std::string(indent, ' '), text, indent, width_);
    }
    void heading(std::string_view text) {
        line();
        out_ += painted(text, "1") + '\n';
        line(std::string(width_, '-'));
    }
    std::string painted(std::string_view text, std::string_view style) const {
        return o_.colour ? fmt::format("\x1b[{}m{}\x1b[0m", style, text) : std::string(text);
    }
    std::string painted(std::string_view text, health h) const {
        constexpr std::string_view styles[] = {"32", "34", "33", "31"};
        return painted(text, styles[static_cast<std::size_t>(h)]);
    }
    // A line that was laid out without colour gets it: `what` is on it once, right at its place.
    void paint(std::size_t from, std::string_view what, health h) {
        if (!o_.colour) return;
        const auto at = out_.find(what, from);
        if (at != std::string::npos) out_.replace(at, what.size(), painted(what, h));
    }

    void head() {
        line(fmt::format("{}  {}", m_.program, file_list(m_)));
        const auto counts = fmt::format("{}, {}", plain_spaces(packets_looked_at(m_)),
                                        plain_spaces(count(m_.connections.size(), "connection")));
        paragraph(m_.capture.packets == 0 ? counts : fmt::format("{}, {}", span_words(m_), counts));
        line();
        if (!m_.strip.empty()) {
            paragraph("! " + m_.strip);
            line();
        }
        const auto at = out_.size();
        paragraph(m_.headline);
        if (o_.colour)
            out_ = out_.substr(0, at) + painted(out_.substr(at, out_.size() - at - 1), "1") + "\n";
        if (m_.cards.empty() || m_.result != verdict_kind::findings) paragraph(m_.second_line);
        if (!m_.guess.empty()) {
            line();
            line(fmt::format("  {}", m_.guess_label));
            line(fmt::format("  {}", m_.guess));
        }
    }

    void verdict() {
        if (m_.result == verdict_kind::findings) {
            line();
            for (std::size_t i = 0; i < std::min<std::size_t>(m_.cards.size(), 3); ++i)
                verdict_line(i);
        }
        if (m_.cards.empty()) return;
        line();
        paragraph(fmt::format("{} {}", plain_spaces(tally_sentence(m_)),
                              plain_spaces(chats_sentence(m_))));
    }

    void verdict_line(std::size_t i) {
        const auto& c = m_.cards[i];
        const auto h = health_of(c.level);
        const auto start = fmt::format("  {} {} {:<8}", i + 1, mark(h, c.uncertain), word(h));
        const auto tail = c.state.empty() ? fmt::format("c{}", c.connection)
                                          : fmt::format("c{}, {}", c.connection, c.state);
        const auto at = out_.size();
        wrap(out_, start, c.connection == 0 ? c.title : fmt::format("{} ({})", c.title, tail), 14,
             width_);
        paint(at, fmt::format("{} {}", mark(h, c.uncertain), word(h)), h);
    }

    void account_line(std::string_view what, std::uint64_t part, std::string_view note) {
        const auto line_start =
            fmt::format("  {:<16}{}{}", what, pad_left(plain_spaces(exact_bytes(part)), 12),
                        pad_left(plain_spaces(share(part, m_.capture.bytes.stream)), 11));
        // Too narrow to stand beside.
        const auto below = narrow_ && 44 + display_width(note) > width_;
        if (note.empty() || below) {
            line(line_start);
            if (below) wrap(out_, "    ", note, 4, width_);
            return;
        }
        wrap(out_, line_start + "   ", note, 44, std::max<std::size_t>(width_, 56));
    }

    void capture() {
        const auto& b = m_.capture.bytes;
        heading("CAPTURE");
        account_line("messages", b.message, count(m_.capture.messages, "message"));
        if (b.gap > 0) account_line("never captured", b.gap, holes_words());
        if (b.unparsed > 0) account_line("unparsed", b.unparsed, unparsed_words(m_));
        account_line("TCP streams", b.stream, "");
        for (const auto& o : m_.capture.observations) {
            if (o.code == "tcp.gap" || o.code == "tcp.resync" || o.code == "tcp.acked_unseen")
                continue;
            const auto times = o.count > 1 ? fmt::format(", {}", count(o.count, "time")) : "";
            wrap(out_, "  ", fmt::format("{}{}: {}", o.code, times, o.text), 4, width_);
        }
    }

    std::string holes_words() const {
        std::string where;
        std::size_t named = 0;
        for (const auto& c : m_.connections) {
            if (bytes_of(c).gap == 0) continue;
            if (++named > 5) {
                where += " ...";
                break;
            }
            where += fmt::format(", c{}", c.id);
        }
        return count(m_.capture.holes, "hole") + where;
    }

    void ports() {
        if (m_.capture.ports.empty()) return;
        heading("PORTS");
        for (const auto& p : m_.capture.ports) {
            line(fmt::format("  {:>5}  {}  {}  {}", p.port,
                             pad_right(plain_spaces(count(p.connections, "connection")), 16),
                             pad_left(plain_spaces(bytes(p.bytes)), 11), p.looks_like));
        }
    }

    std::vector<const connection*> chosen_connections() const {
        std::vector<const connection*> all;
        for (const auto& c : m_.connections) all.push_back(&c);
        if (all.size() <= shown_connections) return all;
        std::stable_sort(all.begin(), all.end(), [](const connection* a, const connection* b) {
            if (a->fared != b->fared) return a->fared > b->fared;
            return bytes_of(*a).stream > bytes_of(*b).stream;
        });
        all.resize(shown_connections);
        return all;
    }

    void connections() {
        heading("CONNECTIONS");
        const auto chosen = chosen_connections();
        narrow_ ? narrow_connections(chosen) : wide_connections(chosen);
        if (chosen.size() < m_.connections.size()) {
            wrap(out_, "  ",
                 fmt::format("and {} more; the worst are shown, then those with most bytes",
                             number(m_.connections.size() - chosen.size())),
                 2, width_);
        }
        servers(chosen);
    }

    static std::string condition_of(const connection& c) {
        return c.condition.empty() ? "ok" : c.condition;
    }

    void wide_connections(const std::vector<const connection*>& chosen) {
        std::size_t client = 6, target = 6, condition = 6;
        for (const auto* c : chosen) {
            client = std::max(client, display_width(c->client));
            target =
                std::max(target, std::min<std::size_t>(display_width(printable(c->target)), 12));
            condition = std::max(condition, display_width(condition_of(*c)));
        }
        // What is left goes to the name; the health column keeps at least 24.
        const auto fixed =
            7 + client + 2 + 6 + 1 + target + 1 + 6 + 2 + 2 + std::min<std::size_t>(condition, 34);
        const auto name = std::clamp<std::size_t>(width_ > fixed ? width_ - fixed : 16, 16, 60);
        line(fmt::format("       {}         {} {} {:>6}  health", pad_right("client", client - 1),
                         pad_right("name", name), pad_right("target", target), "msgs"));
        for (const auto* c : chosen) {
            const auto text = fmt::format(
                "{:>5}  {}  {:<6}{} {} {:>6}  ", fmt::format("c{}", c->id),
                pad_right(c->client, client), protocol_word(*c),
                pad_right(elide(name_column(*c), name), name),
                pad_right(elide(printable(c->target), target), target), number(messages_of(*c)));
            const auto fared = fmt::format("{} {}", mark(c->fared), condition_of(*c));
            const auto indent = display_width(text);
            std::string cell;
            wrap(cell, std::string(indent, ' ') + fared.substr(0, 2), fared.substr(2), indent + 2,
                 std::max(width_, indent + 20));
            const auto start = out_.size();
            out_ += text + cell.substr(std::min(indent, cell.size()));
            if (c->fared != health::ok) paint(start, fared, c->fared);
        }
    }

    static std::string name_column(const connection& c) {
        return c.what == role::canal_client && !c.name.empty() ? printable(c.name)
                                                               : display_name(c);
    }

    void narrow_connections(const std::vector<const connection*>& chosen) {
        for (const auto* c : chosen) {
            const auto at = out_.size();
            wrap(out_, fmt::format("{:>5} {} ", fmt::format("c{}", c->id), mark(c->fared)),
                 condition_of(*c), 8, width_);
            if (c->fared != health::ok) paint(at, condition_of(*c), c->fared);
            line(fmt::format("        {:<6}{} {}", protocol_word(*c),
                             pad_right(elide(name_column(*c), 26), 26),
                             elide(printable(c->target), 16)));
            line(fmt::format("        {} {:>6} messages", pad_right(c->client, 18),
                             number(messages_of(*c))));
        }
    }

    void servers(const std::vector<const connection*>& chosen) {
        std::vector<std::pair<std::string, std::vector<std::uint32_t>>> by_server;
        for (const auto* c : chosen) {
            const auto it = std::find_if(by_server.begin(), by_server.end(),
                                         [&](const auto& s) { return s.first == c->server; });
            it == by_server.end() ? by_server.push_back({c->server, {c->id}})
                                  : it->second.push_back(c->id);
        }
        std::string text = by_server.size() == 1 ? "Server: " : "Servers: ";
        for (std::size_t i = 0; i < by_server.size() && i < 10; ++i) {
            text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", by_server[i].first,
                                id_ranges(by_server[i].second));
        }
        if (by_server.size() > 10) text += fmt::format(" and {} more", by_server.size() - 10);
        wrap(out_, "  ", text, 4, width_);
    }

    void findings() {
        if (m_.cards.empty()) return;
        heading("FINDINGS");
        const auto in_full = o_.all ? std::min(m_.cards.size(), cap::cards)
                                    : std::min<std::size_t>(m_.cards.size(), 3);
        for (std::size_t i = 0; i < in_full; ++i) finding_in_full(m_.cards[i]);
        if (in_full < m_.cards.size()) others(in_full);
    }

    void finding_in_full(const card& c) {
        const auto h = health_of(c.level);
        line();
        const auto at = out_.size();
        wrap(out_, fmt::format("{} ", mark(h, c.uncertain)), c.title, 2, width_);
        if (o_.colour)
            out_ = out_.substr(0, at) + painted(out_.substr(at, out_.size() - at - 1), h) + "\n";
        auto what = fmt::format("{}, {}", severity_words(c.level, c.uncertain), c.code);
        if (const auto rules = rules_words(c); !rules.empty()) what += ", " + rules;
        if (c.count > 1 && c.rules.size() <= 1)
            what += fmt::format(", {}", plain_spaces(count(c.count, "time")));
        if (c.connection != 0) what += fmt::format(", c{}", c.connection);
        paragraph(what, 2);
        if (!c.text.empty()) {
            line();
            paragraph(c.text, 2);
        }
        line();
        evidence_list(c);
        labelled("means", c.meaning);
        for (std::size_t i = 0; i < c.advice.size(); ++i) {
            const auto label = i == 0 ? std::string_view{"do"} : std::string_view{};
            c.advice.size() == 1 ? labelled(label, c.advice[i])
                                 : labelled(label, fmt::format("{} {}", i + 1, c.advice[i]), 2);
        }
        for (const auto& f : c.filters) filter_line(f);
        chart_of(c);
    }

    void evidence_list(const card& c) {
        std::uint32_t file = UINT32_MAX;
        for (const auto& e : c.shown) {
            if (e.at.file != file) {
                file = e.at.file;
                line(fmt::format("  {}", printable(m_.file_name(file))));
            }
            const auto where = fmt::format("    {:<7}{}  ", fmt::format("#{}", e.at.frame),
                                           time_words(m_, e.at.time_ns));
            if (narrow_) {
                line(where.substr(0, where.size() - 2));
                wrap(out_, std::string(11, ' '), e.what, 11, width_);
            } else {
                wrap(out_, where, e.what, where.size(), width_);
            }
        }
        if (c.evidence_left_out > 0)
            line("    and " + beyond_words(c.evidence_left_out, c.evidence_unlisted));
        if (!c.shown.empty()) line();
    }

    std::size_t label_width() const { return narrow_ ? 9 : 11; }

    void labelled(std::string_view label, std::string_view text, std::size_t hang = 0) {
        if (text.empty()) return;
        const auto start = "  " + pad_right(label, label_width() - 2);
        wrap(out_, start, text, label_width() + hang, width_);
    }

    void filter_line(const display_filter& f) {
        const auto label = short_label(f);
        const auto start = "  " + pad_right("filter", label_width() - 2);
        // A long name has its own line, so that the expressions stand in one column.
        if (narrow_ || display_width(label) > 14) {
            line(start + label);
            line(std::string(label_width() + (narrow_ ? 0 : 16), ' ') + f.expression);
        } else {
            line(start + pad_right(label, 15) + " " + f.expression);
        }
    }

    void chart_of(const card& c) {
        const auto* owner = m_.find(c.connection);
        if (owner == nullptr || c.code != "dcp.flow.stalled") return;
        const auto chart = window_chart(*owner, width_);
        if (!chart.empty()) out_ += "\n" + chart;
    }

    void others(std::size_t from) {
        std::uint64_t loud = 0;
        for (std::size_t i = from; i < m_.cards.size(); ++i)
            loud += m_.cards[i].level >= severity::warning ? 1 : 0;
        const auto quiet = m_.cards.size() - from - loud;
        std::string text;
        const auto errors =
            std::any_of(m_.cards.begin() + static_cast<std::ptrdiff_t>(from), m_.cards.end(),
                        [](const card& c) { return c.level == severity::error; });
        if (loud > 0)
            text = plain_spaces(
                errors ? count(loud, "more error or warning", "more errors and warnings")
                       : count(loud, "more warning"));
        // A finding may be many notes: the tally counts those.
        if (quiet > 0) {
            text += text.empty() ? plain_spaces(count(quiet, "more finding"))
                                 : std::string(" and ") + plain_spaces(count(quiet, "finding"));
            text += quiet == 1 ? " that is a note" : " that are notes";
        }
        line();
        paragraph(text + ", one line each; --all or -o report.txt has them in full.");
        const auto end = std::min(m_.cards.size(), from + cap::cards);
        for (std::size_t i = from; i < end; ++i) other_line(m_.cards[i]);
        if (end < m_.cards.size())
            line(fmt::format("  and {} more in the JSON", number(m_.cards.size() - end)));
    }

    void other_line(const card& c) {
        const auto h = health_of(c.level);
        const auto at = out_.size();
        const auto id = c.connection == 0 ? std::string("-") : fmt::format("c{}", c.connection);
        if (narrow_) {
            wrap(out_, fmt::format("  {} {:<3} ", mark(h, c.uncertain), id),
                 fmt::format("{}: {}", c.code, c.brief), 8, width_);
        } else {
            wrap(out_, fmt::format("  {} {:<3} {:<25}", mark(h, c.uncertain), id, c.code + " "),
                 c.brief, 33, width_);
        }
        if (o_.colour) out_.replace(at + 2, 1, painted(out_.substr(at + 2, 1), h));
    }

    void details() {
        const auto text = details_text(m_, width_);
        if (text.empty()) return;
        heading("DETAILS BY CONNECTION");
        out_ += text;
    }

    // From where consumers can go on.
    void resume() {
        std::size_t shown = 0, all = 0;
        for (const auto& s : m_.streams) {
            if (!s.resumable || s.items == 0) continue;
            if (all++ == 0) {
                heading("WHERE TO RESUME");
                paragraph(resume_streams, 2);
            }
            if (shown >= shown_connections) continue;
            ++shown;
            const auto remark = resume_remark(m_, s);
            wrap(out_, fmt::format("{:>5}  ", fmt::format("c{}", s.connection)),
                 fmt::format("vb {}: seqno {}, snapshot {}, uuid {}{}{}", s.partition,
                             number(s.resume_seqno),
                             range(s.resume_snapshot_start, s.resume_snapshot_end),
                             s.resume_uuid == 0 ? std::string("not captured")
                                                : fmt::format("0x{:x}", s.resume_uuid),
                             remark.empty() ? "" : "; ", remark),
                 7, width_);
        }
        if (!m_.positions.empty()) {
            if (all == 0) heading("WHERE TO RESUME");
            paragraph(resume_positions, 2);
        }
        for (const auto& p : m_.positions) {
            ++all;
            if (shown >= shown_connections) continue;
            ++shown;
            wrap(out_, "  ",
                 fmt::format("{}, {} / {}: {}:{}, batch {}", p.server, p.destination, p.client_id,
                             p.journal, p.position, p.batch),
                 4, width_);
        }
        if (shown < all) line(fmt::format("  and {} more in the JSON", number(all - shown)));
    }

    void last_words() {
        line();
        if (!m_.cards.empty())
            line(fmt::format("What a finding means: cdcscope explain {}", m_.cards.front().code));
        if (!m_.command.empty()) {
            wrap(out_, "", fmt::format("Charts, streams, batches: {} -o report.html", m_.command),
                 2, width_);
        }
    }

    const model& m_;
    const text_options& o_;
    std::size_t width_;
    bool narrow_;
    std::string out_;
};

}  // namespace

std::string render_text(const model& m, const text_options& options) {
    return text_page(m, options).make();
}

}  // namespace cdcscope::report
