// The pairs on the card of a connection; what the capture does not have is not said.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/format.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

std::string_view side(direction d) {
    return d == direction::c2s ? "client" : "server";
}

std::string closed_by(const model& m, const connection& c) {
    using recover::end_kind;
    const auto at = time_words(m, c.closed.at.time_ns);
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

std::string window_words(const flow_figures& f) {
    const auto window = exact_bytes(f.window);
    if (f.full_times == 0) return fmt::format("{}, never full", window);
    if (f.full_at_end && f.full_times == 1) return fmt::format("{}, full to the end", window);
    if (f.full_times == 1)
        return fmt::format("{}, full once for {}", window, duration(f.full_most_ns));
    return fmt::format("{}, full {} for {} to {}", window, count(f.full_times, "time"),
                       duration(f.full_least_ns), duration(f.full_most_ns));
}

std::string noop_words(const noop_figures& n) {
    if (!n.enabled && n.sent == 0) return "off";
    const auto every = n.interval_ns > 0 ? fmt::format("every {}, ", short_duration(n.interval_ns))
                                         : std::string{};
    return fmt::format("{}{} of {} answered", every, number(n.answered), number(n.sent));
}

std::string durable_words(const durability_figures& d) {
    if (d.prepares == d.committed) {
        const auto one = d.least_ns == d.most_ns
                             ? duration(d.most_ns)
                             : fmt::format("{} to {}", duration(d.least_ns), duration(d.most_ns));
        return fmt::format("{} committed, {}{}", number(d.prepares),
                           d.least_ns == d.most_ns ? "each in " : "in ", one);
    }
    return fmt::format("{}: {} committed, {} aborted, {} open", number(d.prepares),
                       number(d.committed), number(d.aborted), number(d.open));
}

std::string batches_words(const canal_figures& f) {
    auto out = number(f.batches);
    if (f.batches > 0) {
        out += f.acknowledged == f.batches
                   ? std::string(", all acknowledged")
                   : fmt::format(": {} acknowledged", number(f.acknowledged));
        if (f.rolled_back > 0) out += fmt::format(", {} rolled back", number(f.rolled_back));
        if (f.open > 0) out += fmt::format(", {} open", number(f.open));
    }
    if (f.empty_polls > 0) out += fmt::format("; {}", count(f.empty_polls, "empty poll"));
    return out;
}

void dcp_facts(std::vector<fact>& out, const model& m, const connection& c) {
    if (c.durable.prepares > 0) out.push_back({"Durable writes", durable_words(c.durable)});
    if (c.flow.on) {
        out.push_back({"Window", window_words(c.flow)});
        out.push_back({"Counted / acknowledged", fmt::format("{} / {}", exact_bytes(c.flow.counted),
                                                             exact_bytes(c.flow.acknowledged))});
    } else if (c.what != role::kv_application) {
        out.push_back({"Flow control", c.from_start ? "off" : "not captured"});
    }
    if (c.noop.enabled || c.noop.sent > 0) out.push_back({"Keep-alive", noop_words(c.noop)});
    if (c.what == role::kv_application) {
        const auto mine = [&](const operation& o) { return o.connection == c.id; };
        const auto all = std::count_if(m.operations.begin(), m.operations.end(), mine);
        const auto answered =
            std::count_if(m.operations.begin(), m.operations.end(),
                          [&](const operation& o) { return mine(o) && o.has_answer; });
        if (all > 0) out.push_back({"Answers", fmt::format("{} of {} requests", answered, all)});
    }
}

void canal_facts(std::vector<fact>& out, const connection& c) {
    const auto& f = c.canal;
    out.push_back(
        {"Filter", f.filter_sent && !f.filter.empty() ? printable(f.filter) : "set by the server"});
    out.push_back({"Batches", batches_words(f)});
    if (f.entries > 0) {
        out.push_back({"Rows", fmt::format("{} in {}", count(f.rows, "row"),
                                           count(f.entries, "entry", "entries"))});
    }
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
    if (!c.agent.empty() && c.agent != c.name) out.push_back({"Agent", printable(c.agent)});
    if (c.what == role::canal_client) {
        canal_facts(out, c);
    } else if (c.what != role::tls && c.what != role::other && c.what != role::canal_admin) {
        dcp_facts(out, m, c);
    }
    const auto bytes = bytes_of(c);
    if (bytes.gap > 0) out.push_back({"Not captured", exact_bytes(bytes.gap)});
    if (!c.first_bytes.empty()) out.push_back({"Begins with", c.first_bytes});
    if (c.closed.seen) out.push_back({"Closed by", closed_by(m, c)});
    return out;
}

}  // namespace cdcscope::report
