// The pairs on the card of a connection; what the capture does not have is not said.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "analyzer/report/format.h"
#include "analyzer/report/one_direction.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

std::string_view side(direction d) {
    return d == direction::c2s ? "client" : "server";
}

std::string closed_by(const model& m, const connection& c) {
    using recover::end_kind;
    const auto at = time_words(m, c.closed.at.time_ns);
    if (c.one_direction && (c.closed.how == end_kind::fin || c.closed.how == end_kind::rst))
        return fmt::format("{} of the {} at {}; the other side was not captured",
                           c.closed.how == end_kind::fin ? "FIN" : "RST", side(c.closed.by), at);
    switch (c.closed.how) {
        case end_kind::fin:
            return fmt::format("{}, FIN at {}", side(c.closed.by), at);
        case end_kind::rst:
            return fmt::format("{}, RST at {}", side(c.closed.by), at);
        case end_kind::reused:
            return fmt::format("port used again at {}", at);
        case end_kind::timed_out:
            return "not seen";
        case end_kind::end_of_capture:
            break;
    }
    return "still open";
}

std::string_view end_of(const connection& c) {
    return c.closed.seen && c.closed.how != recover::end_kind::end_of_capture
               ? "the connection ended"
               : "the capture ended";
}

std::string window_words(const flow_figures& f) {
    const auto window = exact_bytes(f.window);
    if (f.full_times == 0) return fmt::format("{}, never full", window);
    if (f.full_at_end && f.full_times == 1) return fmt::format("{}, full to the end", window);
    if (f.full_times == 1)
        return fmt::format("{}, full once for {}", window, duration(f.full_most_ns));
    return fmt::format("{}, full {} for {}", window, count(f.full_times, "time"),
                       durations(f.full_least_ns, f.full_most_ns));
}

std::string noop_words(const connection& c) {
    const auto& n = c.noop;
    if (c.one_direction && n.sent > 0) return number(n.sent) + " sent, answers not captured";
    if (!n.enabled && n.sent == 0) return "off";
    const auto every = n.interval_ns > 0 ? fmt::format("every {}, ", short_duration(n.interval_ns))
                                         : std::string{};
    if (n.sent == 0) return every + "none sent";
    return fmt::format("{}{} of {} answered", every, number(n.answered), number(n.sent));
}

std::string durable_words(const durability_figures& d, std::string_view end) {
    if (d.prepares == d.committed) {
        const auto alike = duration(d.least_ns) == duration(d.most_ns);
        return fmt::format("{} committed, {}{}", number(d.prepares), alike ? "each in " : "in ",
                           durations(d.least_ns, d.most_ns));
    }
    auto out = fmt::format("{}: {} committed, {} aborted, {} open", number(d.prepares),
                           number(d.committed), number(d.aborted), number(d.open));
    if (d.open > 0) out += fmt::format(" when {}", end);
    return out;
}

std::string batches_words(const connection& c, bool refused) {
    const auto& f = *c.canal;
    if (missing_side(c) == direction::s2c) return "not captured";
    auto out = number(f.batches);
    if (missing_side(c) == direction::c2s) return out + ", acknowledgements not captured";
    if (f.batches > 0) {
        out += f.acknowledged == f.batches
                   ? std::string(", all acknowledged") + (refused ? " in the end" : "")
                   : fmt::format(": {} acknowledged", number(f.acknowledged));
        if (f.rolled_back > 0) out += fmt::format(", {} rolled back", number(f.rolled_back));
        if (f.open > 0) out += fmt::format(", {} open when the capture ended", number(f.open));
        if (f.batches > 1 && f.most_open == 1) out += ", never 2 open at once";
    }
    if (f.empty_polls > 0) out += fmt::format("; {}", count(f.empty_polls, "empty poll"));
    return out;
}

std::string collections_words(const connection& c) {
    std::string out;
    for (const auto& [id, name] : c.collections) {
        out += fmt::format("{}0x{:x} {}", out.empty() ? "" : ", ", id,
                           name.empty() ? std::string("(no name captured)") : printable(name));
        if (out.size() > 300) return out + " ...";
    }
    return out;
}

// "HELLO, SELECT_BUCKET, 4 SET".
std::string requests_words(const connection& c) {
    std::string out;
    std::size_t n = 0;
    for (const auto& t : c.by_type) {
        if (t.name.find(".response") != std::string::npos) continue;
        if (++n > 8) return out + " ...";
        auto name = t.name;
        for (auto& letter : name)
            letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
        out += fmt::format("{}{}{}", out.empty() ? "" : ", ",
                           t.count > 1 ? number(t.count) + std::string(no_break_space) : "", name);
    }
    return out;
}

constexpr std::int64_t told_silence_ns = 60'000'000'000;

// Of the items around holes whose seqnos tell what is missing.
std::string recovered_words(const model& m, const connection& c) {
    std::uint64_t here = 0, missing = 0, mutations = 0;
    for (const auto& s : m.streams) {
        if (s.connection != c.id) continue;
        here += s.items;
        mutations += s.mutations;
        for (const auto& [from, to] : s.not_captured) missing += to - from + 1;
    }
    return missing == 0 ? std::string{}
                        : fmt::format("{} of {} {}", number(here), number(here + missing),
                                      mutations == here ? "mutations" : "items");
}

// What holes, cuts and foreign bytes took away.
void loss_facts(std::vector<fact>& out, const model& m, const connection& c) {
    const auto bytes = bytes_of(c);
    const auto cut = c.of[0].cut_messages + c.of[1].cut_messages;
    if (bytes.gap > 0) {
        auto text = exact_bytes(bytes.gap);
        for (const auto dir : {0, 1}) {
            if (c.of[dir].snaplen_bytes > 0)
                text += fmt::format(", {} from the {} cut off by the snapshot length",
                                    exact_bytes(c.of[dir].snaplen_bytes),
                                    dir == 0 ? "client" : "server");
        }
        for (const auto& s : m.streams) {
            if (s.connection != c.id) continue;
            for (const auto& [from, to] : s.not_captured) {
                if (text.size() > 200) break;
                text += fmt::format(", vb {} seqno {}", s.partition, range(from, to));
            }
        }
        if (const auto words = recovered_words(m, c); !words.empty())
            out.push_back({"Recovered", words});
        out.push_back({"Not captured", text});
    }
    if (cut > 0)
        out.push_back({"Cut", fmt::format("{} without all of its value", count(cut, "message"))});
    if (bytes.unparsed > 0) {
        auto text = exact_bytes(bytes.unparsed);
        if (const auto pieces = pieces_words(c); !pieces.empty())
            text += fmt::format(": {}", pieces);
        out.push_back({"Unparsed", text});
    }
}

void dcp_facts(std::vector<fact>& out, const model& m, const connection& c) {
    if (c.durable->prepares > 0)
        out.push_back({"Durable writes", durable_words(*c.durable, end_of(c))});
    if (c.flow->on) {
        out.push_back({"Window", window_words(*c.flow)});
        out.push_back(
            {"Counted / acknowledged", fmt::format("{} / {}", exact_bytes(c.flow->counted),
                                                   exact_bytes(c.flow->acknowledged))});
    } else if (c.what != role::kv_application) {
        out.push_back({"Flow control", c.from_start ? "off" : "not captured"});
    }
    if (c.noop.enabled || c.noop.sent > 0) out.push_back({"Keep-alive", noop_words(c)});
    if (c.what == role::kv_application) {
        std::uint64_t all = 0, answered = 0;
        std::string kind;  // of all of them, if they are alike
        for (const auto& o : m.operations) {
            if (o.connection != c.id) continue;
            kind = all == 0 || kind == o.opcode ? o.opcode : "requests";
            ++all;
            answered += o.has_answer ? 1 : 0;
        }
        if (const auto asked = requests_words(c); !asked.empty())
            out.push_back({"Requests", asked});
        if (all > 0 && c.one_direction) {
            out.push_back({"Answers", "not captured"});
        } else if (all > 0) {
            out.push_back(
                {"Answers", fmt::format("{} of {} {}", number(answered), number(all), kind)});
        }
    }
    if (!c.collections.empty()) out.push_back({"Collections", collections_words(c)});
    if (c.longest_silence.length() >= told_silence_ns) {
        out.push_back({"Longest silence",
                       fmt::format("{} from {} on", exact_duration(c.longest_silence.length()),
                                   time_words(m, c.longest_silence.from))});
    }
}

// Only a SUBSCRIPTION says whose filter is in force.
std::string filter_words(const connection& c) {
    const auto& f = *c.canal;
    if (f.filter_sent) return f.filter.empty() ? "set by the server" : printable(f.filter);
    return c.from_start && bytes_of(c).gap == 0 ? "never subscribed" : "not captured";
}

void canal_facts(std::vector<fact>& out, const model& m, const connection& c) {
    const auto& f = *c.canal;
    if (missing_side(c) != direction::c2s) {
        if (const auto words = filter_words(c); !words.empty()) out.push_back({"Filter", words});
    }
    const auto refused = std::any_of(m.batches.begin(), m.batches.end(), [&](const batch_row& b) {
        return b.connection == c.id && b.refused;
    });
    out.push_back({"Batches", batches_words(c, refused)});
    if (f.entries > 0) {
        out.push_back({"Rows", fmt::format("{} in {}", count(f.rows, "row"),
                                           count(f.entries, "entry", "entries"))});
    }
    if (!f.tables.empty()) {
        std::string names;
        for (const auto& t : f.tables) {
            names += (names.empty() ? "" : ", ") + printable(t);
            if (names.size() > 300) break;
        }
        out.push_back({"Tables", names});
    }
    std::string split;
    for (const auto& t : m.transactions) {
        if (t.destination != c.target || t.client_id != c.name || split.size() > 300) continue;
        split += (split.empty() ? "" : "; ") + transaction_words(t);
    }
    if (!split.empty()) out.push_back({"Transactions", split});
    if (f.net_read_timeout_ms >= 0) {
        out.push_back({"Idle limit", short_duration(f.net_read_timeout_ms * 1'000'000)});
    }
    if (!f.user.empty()) {
        out.push_back(
            {"User", fmt::format("{}, password: {}", printable(f.user), f.password_form)});
    }
}

}  // namespace

std::vector<fact> facts_of(const model& m, const connection& c) {
    std::vector<fact> out{{"Client", c.client}, {"Server", c.server}};
    if (!c.short_name.empty()) out.push_back({"Name", printable(c.name)});
    if (!c.agent.empty() && c.agent != c.name) out.push_back({"Agent", printable(c.agent)});
    if (c.what == role::canal_client) {
        canal_facts(out, m, c);
    } else if (c.what != role::tls && c.what != role::other && c.what != role::canal_admin) {
        dcp_facts(out, m, c);
    }
    loss_facts(out, m, c);
    if (!c.from_start && messages_of(c) > 0) out.push_back({"Beginning", "not captured"});
    if (!c.looks_like.empty()) out.push_back({"Looks like", c.looks_like});
    if (!c.first_bytes.empty()) out.push_back({"Begins with", c.first_bytes});
    if (c.closed.seen) out.push_back({"Closed by", closed_by(m, c)});
    return out;
}

}  // namespace cdcscope::report
