#include "analyzer/report/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/recover/foreign.h"
#include "analyzer/report/format.h"
#include "analyzer/report/one_direction.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

// How the subject of a clause is called where several connections share it.
struct subject {
    std::string_view code, one, many;
};
constexpr subject subjects[] = {
    {"dcp.flow.stalled", "one connector", "connectors"},
    {"canal.lag", "one canal consumer", "canal consumers"},
};

std::string with_plural_verb(std::string clause) {
    if (clause.starts_with("has ")) return "have " + clause.substr(4);
    if (clause.starts_with("is ")) return "are up to " + clause.substr(3);
    return clause;
}

// What one card says on top. Cards of the same code that go on are told together: the first one is
// the gravest.
std::string clause_of(const model& m, std::size_t i) {
    const auto& c = m.cards[i];
    for (const auto& s : subjects) {
        if (s.code != c.code) continue;
        if (!c.going_on) return c.title;
        const auto n = std::count_if(m.cards.begin(), m.cards.end(), [&](const card& o) {
            return o.code == c.code && o.going_on && o.level >= severity::warning;
        });
        return n == 1 ? fmt::format("{} {}", s.one, c.clause)
                      : fmt::format("{} {} {}", number(static_cast<std::uint64_t>(n)), s.many,
                                    with_plural_verb(c.clause));
    }
    return c.clause.empty() ? c.title : c.clause;
}

// "connection 3", or "connections 1 and 3" for either of them.
bool names_connection(std::string_view clause, std::uint32_t id) {
    const auto number = fmt::format("{}", id);
    constexpr std::string_view word = "onnection";
    for (auto at = clause.find(word); at != std::string_view::npos;
         at = clause.find(word, at + 1)) {
        auto rest = clause.substr(at + word.size());
        const auto several = rest.starts_with('s');
        // Behind the word, or behind the "and" of two.
        for (int n = 0; n < (several ? 2 : 1); ++n) {
            const auto blank = n == 0 ? rest.find(' ') : rest.find(" and ");
            if (blank == std::string_view::npos) break;
            rest.remove_prefix(blank + (n == 0 ? 1 : 5));
            const auto digits = rest.substr(0, rest.find_first_not_of("0123456789"));
            if (digits == number) return true;
        }
    }
    return false;
}

// Which connection a clause is about, where there are several and it does not say so itself.
std::string where_of(const model& m, const card& c, const std::string& clause) {
    const auto* owner = m.find(c.connection);
    if (owner == nullptr || m.connections.size() < 2) return {};
    const auto has_subject = std::any_of(std::begin(subjects), std::end(subjects),
                                         [&](auto& s) { return c.going_on && s.code == c.code; });
    const auto name = display_name(*owner);
    const auto named = !owner->name.empty() && (clause.find(name) != std::string::npos ||
                                                clause.find(printable(owner->name)) == 0);
    if (has_subject || named || names_connection(clause, owner->id)) return {};
    return fmt::format(" (connection {}, {})", owner->id, name);
}

// "vb 20: ..." is no beginning of a sentence.
std::string as_sentence(std::string clause) {
    return clause.starts_with("vb ") ? "stream " + clause : clause;
}

std::string headline_of(const model& m) {
    auto out = as_sentence(clause_of(m, 0));
    out += where_of(m, m.cards[0], out);
    const auto first_name = m.find(m.cards[0].connection);
    const auto begins_with_name = first_name != nullptr && !first_name->name.empty() &&
                                  out.starts_with(display_name(*first_name));
    if (m.cards[0].going_on) {
        for (std::size_t i = 1; i < m.cards.size(); ++i) {
            if (!m.cards[i].going_on || m.cards[i].level < severity::warning) break;
            if (m.cards[i].code == m.cards[0].code) continue;
            const auto second = as_sentence(clause_of(m, i));
            out += ", " + second + where_of(m, m.cards[i], second);
            break;
        }
    }
    if (!out.ends_with('.')) out += '.';
    return begins_with_name ? out : capitalized(out);
}

std::string when_and_how_many(const model& m) {
    const auto& s = m.capture.span;
    const auto to = same_date(s.from, s.to)
                        ? time_of_day_seconds(s.to)
                        : fmt::format("{} {}", date(s.to), time_of_day_seconds(s.to));
    return fmt::format("{}, {} to {} UTC, {}.", date(s.from), time_of_day_seconds(s.from), to,
                       count(m.connections.size(), "connection"));
}

std::string what_was_looked_at(const model& m, const one_way& half) {
    const auto& b = m.capture.bytes;
    const std::string_view captured = half.connections > 0 ? "captured " : "";
    auto rules = count(m.rules, "rule");
    if (half.connections > 0) {
        const auto on = rules_on_words(half);
        rules = half.connections == half.of
                    ? on
                    : fmt::format("{} ({} where one direction is missing)", rules, on);
    }
    return fmt::format("{}, {}, {}, {}.", count(m.connections.size(), "connection"),
                       count(m.capture.messages, "message"), rules,
                       b.message == b.stream ? fmt::format("every {}TCP byte read", captured)
                                             : fmt::format("{} of the {}TCP bytes read",
                                                           share(b.message, b.stream), captured));
}

// Rules that are off find nothing: that is no clean bill.
std::string quiet_headline(std::uint64_t uncertain, const one_way& half) {
    if (uncertain > 0) {
        return fmt::format("Nothing certain went wrong; {} uncertain.",
                           count(uncertain, "finding is", "findings are"));
    }
    if (half.connections == 0) return "No errors, no warnings.";
    if (half.connections == half.of) return "Not judged in full: one direction only.";
    return fmt::format("No errors, no warnings; {} of {} not judged in full: one direction only.",
                       number(half.connections), count(half.of, "connection"));
}

void say_encrypted(model& m) {
    std::uint64_t tls = 0;
    std::uint16_t port = 0;
    bool one_port = true;
    for (const auto& c : m.connections) {
        if (c.what != role::tls) continue;
        ++tls;
        const auto colon = c.server.rfind(':');
        const auto its = static_cast<std::uint16_t>(std::strtoul(
            c.server.c_str() + (colon == std::string::npos ? 0 : colon + 1), nullptr, 10));
        one_port = one_port && (port == 0 || port == its);
        port = its;
    }
    const auto where = one_port ? fmt::format(" on port {}", port) : std::string{};
    m.headline = tls == 1 ? fmt::format("The connection{} is encrypted.", where)
                          : fmt::format("The {}{} are encrypted.", count(tls, "connection"), where);
    m.second_line = fmt::format(
        "{}. Nothing inside can be read; times, bytes and closes can. Capture on port 11210, or on "
        "the node before encryption.",
        recover::tls_words(m.capture.encrypted));
}

void say_nothing_recovered(model& m) {
    m.headline = m.capture.packets == 0
                     ? std::string("No packet.")
                     : fmt::format("No DCP or canal message in {}.", packets_looked_at(m));
    const auto no_connection = m.filter.empty()
                                   ? std::string("No TCP connection. Was the capture filter right?")
                                   : fmt::format("--filter '{}' left no TCP packet.", m.filter);
    m.second_line = m.connections.empty()
                        ? no_connection
                        : fmt::format("{}; the ports are below.",
                                      count(m.connections.size(), "TCP connection"));
    for (const auto& p : m.capture.ports) {
        if (p.looks_like.empty()) {
            m.guess =
                fmt::format("{} --port dcp={}",
                            m.command.empty() ? "cdcscope report CAPTURE" : m.command, p.port);
            m.guess_label = fmt::format("If port {} carries DCP", p.port);
            return;
        }
    }
}

// Findings of a part of the capture only: nothing else was judged.
void say_time(model& m) {
    if (!m.judged_since && !m.judged_until) return;
    const auto words = [](std::string_view which, const std::optional<std::int64_t>& at) {
        return at ? fmt::format(" {} {} {}", which, date(*at), time_of_day(*at)) : std::string{};
    };
    const auto since = words("from", m.judged_since), until = words("until", m.judged_until);
    if (!m.strip.empty()) m.strip += ' ';
    m.strip += fmt::format(
        "Only findings{}{} are told{}; {}.", since, until,
        nothing_to_judge(m) ? ", and the capture has no packet of that time"
        : m.judged_since    ? ", and what had begun before and still lasted"
                            : "",
        m.judged_until ? "what goes on is told as it is then, totals are those of the whole capture"
                       : "messages and figures are those of the whole capture");
}

void say_outside(model& m) {
    const auto& s = m.capture.span;
    m.headline = fmt::format(
        "Nothing to judge: the capture has no packet of that time (it goes from {} {} to {}{}).",
        date(s.from), time_of_day_seconds(s.from),
        same_date(s.from, s.to) ? std::string{} : date(s.to) + " ", time_of_day_seconds(s.to));
    m.second_line = what_was_looked_at(m, count_one_way(m));
}

}  // namespace

bool nothing_to_judge(const model& m) noexcept {
    return m.capture.packets > 0 && ((m.judged_since && *m.judged_since > m.capture.span.to) ||
                                     (m.judged_until && *m.judged_until < m.capture.span.from));
}

void judge(model& m) {
    say_one_direction(m);
    say_time(m);
    if (m.capture.messages == 0) {
        const auto encrypted =
            !m.connections.empty() && std::any_of(m.connections.begin(), m.connections.end(),
                                                  [](auto& c) { return c.what == role::tls; });
        m.result = encrypted ? verdict_kind::encrypted : verdict_kind::nothing_recovered;
        encrypted ? say_encrypted(m) : say_nothing_recovered(m);
        return;
    }
    if (nothing_to_judge(m)) {
        m.result = verdict_kind::outside;
        say_outside(m);
        return;
    }
    const auto loud = std::any_of(m.cards.begin(), m.cards.end(),
                                  [](const card& c) { return c.level >= severity::warning; });
    if (loud) {
        m.result = verdict_kind::findings;
        m.headline = headline_of(m);
        m.second_line = when_and_how_many(m);
        if (m.cards.front().going_on) m.second_line += " Faults still going on come first.";
        return;
    }
    const auto uncertain = static_cast<std::uint64_t>(
        std::count_if(m.cards.begin(), m.cards.end(), [](const card& c) { return c.uncertain; }));
    m.result = m.cards.empty() ? verdict_kind::clean : verdict_kind::notes_only;
    const auto half = count_one_way(m);
    m.headline = quiet_headline(uncertain, half);
    m.second_line = what_was_looked_at(m, half);
    if (m.hits.notes > 0) m.second_line += fmt::format(" {}.", count(m.hits.notes, "note"));
}

}  // namespace cdcscope::report
