#include "analyzer/report/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "analyzer/report/format.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

// Text from the capture must stay text: what begins markup, a table cell or HTML is escaped.
std::string escaped(std::string_view text) {
    const auto shown = plain_spaces(printable(text));
    const auto word = [&](std::size_t i) {
        return i < shown.size() && (std::isalnum(static_cast<unsigned char>(shown[i])) != 0);
    };
    std::string out;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        // Inside a word an underscore begins nothing.
        const auto inside = shown[i] == '_' && i > 0 && word(i - 1) && word(i + 1);
        if (!inside && std::string_view{"\\`*_[]<>|#~"}.find(shown[i]) != std::string_view::npos) {
            out += '\\';
        }
        out += shown[i];
    }
    return out;
}

// A code span that holds any text: its fence is longer than any run of back ticks inside.
std::string code(std::string_view text) {
    std::size_t longest = 0, run = 0;
    for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
    const std::string fence(longest + 1, '`');
    const auto pad = longest > 0 ? " " : "";
    return fmt::format("{0}{1}{2}{1}{0}", fence, pad, printable(text));
}

std::string sentence(std::string_view text) {
    if (text.empty() || text.ends_with('.')) return std::string(text);
    return fmt::format("{}.", text);
}

class markdown_page {
  public:
    markdown_page(const model& m, const markdown_options& o) : m_(m), o_(o) {}

    std::string make() {
        auto headline = m_.headline;
        if (headline.ends_with('.')) headline.pop_back();
        // Behind the colon goes on what is no name.
        if (headline.starts_with("One ")) headline.front() = 'o';
        line(fmt::format("## cdcscope: {}", escaped(headline)));
        line();
        if (!m_.strip.empty()) {
            line(fmt::format("**{}**", escaped(m_.strip)));
            line();
        }
        capture();
        if (!m_.guess.empty()) {
            line();
            line(fmt::format("{}: {}", escaped(m_.guess_label), code(m_.guess)));
        }
        table();
        const auto in_full = std::min(o_.all ? cap::cards : std::size_t{3}, m_.cards.size());
        for (std::size_t i = 0; i < in_full; ++i) finding(i);
        last_line(in_full);
        return std::move(out_);
    }

  private:
    void line(std::string_view text = {}) {
        out_ += text;
        out_ += '\n';
    }

    void capture() {
        std::string files;
        for (const auto& f : m_.capture.files)
            files += fmt::format("{}{}", files.empty() ? "" : ", ", code(f.name));
        const auto& b = m_.capture.bytes;
        auto text = fmt::format("Capture {}: {}, {}, {}, {} of the TCP bytes read", files,
                                span_words(m_), count(m_.connections.size(), "connection"),
                                count(m_.capture.messages, "message"), share(b.message, b.stream));
        if (m_.capture.holes > 0)
            text += fmt::format(" ({} of {})", count(m_.capture.holes, "hole"), exact_bytes(b.gap));
        line(plain_spaces(text) + ".");
        if (m_.cards.empty()) {
            line(escaped(m_.second_line));
            return;
        }
        line(plain_spaces(tally_sentence(m_)) + " " + loud_words());
    }

    std::uint64_t loud() const {
        return static_cast<std::uint64_t>(
            std::count_if(m_.cards.begin(), m_.cards.end(),
                          [](const card& c) { return c.level >= severity::warning; }));
    }

    std::string loud_words() const {
        const auto n = loud();
        if (n == 0) return "None is an error or a warning.";
        if (n == 1) return "The finding that is an error or a warning:";
        return fmt::format("The {} that are errors or warnings, those still going on first:",
                           plain_spaces(count(n, "finding")));
    }

    std::string connection_words(std::uint32_t id, bool with_ends) const {
        const auto* c = m_.find(id);
        if (c == nullptr) return std::string(nothing);
        return with_ends ? fmt::format("{}: {} to {}", id, c->client, c->server)
                         : fmt::format("{}", id);
    }

    void table() {
        if (loud() == 0) return;
        line();
        line("| # | severity | finding | connection | state |");
        line("|---|---|---|---|---|");
        std::vector<std::uint32_t> named;
        std::size_t rows = 0;
        for (std::size_t i = 0; i < m_.cards.size() && rows < cap::cards; ++i) {
            const auto& c = m_.cards[i];
            if (c.level < severity::warning) continue;
            ++rows;
            const auto first = std::find(named.begin(), named.end(), c.connection) == named.end();
            if (first) named.push_back(c.connection);
            const auto told = c.detail.empty() ? c.title : fmt::format("{}: {}", c.title, c.detail);
            line(fmt::format("| {} | **{}** | {} | {} | {} |", i + 1,
                             capitalized(findings::name(c.level)), escaped(told),
                             escaped(connection_words(c.connection, first)), escaped(c.state)));
        }
        if (rows < loud()) line(fmt::format("\nand {} more in the JSON", number(loud() - rows)));
    }

    void finding(std::size_t i) {
        const auto& c = m_.cards[i];
        line();
        const auto rules = rules_words(c);
        line(fmt::format("### {}. {} ({}{})", i + 1, escaped(title_words(m_, c)), code(c.code),
                         rules.empty() ? "" : ", " + rules));
        if (!c.text.empty()) {
            line();
            line(escaped(c.text));
        }
        evidence_list(c);
        if (!c.meaning.empty()) {
            line();
            line(fmt::format("**Usually means:** {}", escaped(sentence(c.meaning))));
        }
        advice(c);
        filters(c);
    }

    void evidence_list(const card& c) {
        if (c.shown.empty()) return;
        line();
        const auto several = m_.capture.files.size() > 1;
        for (const auto& e : c.shown) {
            const auto file = several ? code(m_.file_name(e.at.file)) + " " : std::string{};
            line(fmt::format("- {}#{} {}: {}", file, e.at.frame, time_words(m_, e.at.time_ns),
                             escaped(e.what)));
        }
        if (c.evidence_left_out > 0)
            line("- and " + beyond_words(c.evidence_left_out, c.evidence_unlisted));
    }

    void advice(const card& c) {
        if (c.advice.empty()) return;
        line();
        if (c.advice.size() == 1)
            return line(fmt::format("**Do:** {}", escaped(sentence(c.advice.front()))));
        line("**Do:**");
        line();
        for (std::size_t i = 0; i < c.advice.size(); ++i)
            line(fmt::format("{}. {}", i + 1, escaped(sentence(c.advice[i]))));
    }

    void filters(const card& c) {
        // The expression is alone in its block: what is copied is a filter.
        for (const auto& f : c.filters) {
            line();
            line(fmt::format("Filter, {}:", escaped(short_label(f))));
            line();
            line("```");
            line(printable(f.expression));
            line("```");
        }
    }

    void last_line(std::size_t in_full) {
        line();
        std::string more;
        if (in_full < m_.cards.size() && !m_.command.empty()) {
            // Cards of one severity need not stand together: what goes on comes first.
            const auto loud_in_full = static_cast<std::uint64_t>(std::count_if(
                m_.cards.begin(), m_.cards.begin() + static_cast<std::ptrdiff_t>(in_full),
                [](const card& c) { return c.level >= severity::warning; }));
            const auto rest = loud() - loud_in_full;
            const auto what = rest == 0   ? std::string("The notes")
                              : rest == 1 ? fmt::format("Finding {} and the notes", in_full + 1)
                                          : fmt::format("Findings {} to {} and the notes",
                                                        in_full + 1, in_full + rest);
            more = fmt::format("{}: {}. ",
                               loud_in_full + rest == m_.cards.size()
                                   ? what.substr(0, what.find(" and the notes"))
                                   : what,
                               code(m_.command + " -o report.html"));
        }
        line(fmt::format("{}Made by {}; no document contents or credentials in this text.", more,
                         m_.program));
    }

    const model& m_;
    const markdown_options& o_;
    std::string out_;
};

}  // namespace

std::string render_markdown(const model& m, const markdown_options& options) {
    return markdown_page(m, options).make();
}

}  // namespace cdcscope::report
