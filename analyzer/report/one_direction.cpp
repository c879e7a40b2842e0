#include "analyzer/report/one_direction.h"

#include <fmt/format.h>

#include "analyzer/report/format.h"
#include "analyzer/report/words.h"
#include "proto/findings/table.h"

namespace cdcscope::report {
namespace {

bool carries_nothing(const connection& c) {
    return c.carries == recover::protocol::tls || c.carries == recover::protocol::other ||
           c.carries == recover::protocol::unknown;
}

// "D04, D11 to D19": of the protocols that are here.
std::string rules_of_both_sides(bool dcp, bool canal) {
    struct run {
        std::string_view first, last;
        int length = 0;
    };
    std::vector<run> runs;
    const findings::entry* before = nullptr;
    for (const auto& row : findings::table()) {
        if (row.rule.empty() || !(row.of == findings::protocol::dcp ? dcp : canal)) continue;
        const auto goes_on = before != nullptr && before->both_sides && before->of == row.of;
        if (row.both_sides && goes_on) {
            runs.back().last = row.rule;
            ++runs.back().length;
        } else if (row.both_sides) {
            runs.push_back({row.rule, row.rule, 1});
        }
        before = &row;
    }
    std::string all;
    for (const auto& each : runs) {
        if (!all.empty()) all += ", ";
        all += each.first;
        if (each.length > 1) all += fmt::format("{}{}", each.length > 2 ? " to " : ", ", each.last);
    }
    return all;
}

}  // namespace

std::optional<direction> missing_side(const connection& c) noexcept {
    if (!c.one_direction) return std::nullopt;
    return c.of[index(direction::c2s)].bytes.stream == 0 ? direction::c2s : direction::s2c;
}

void mark_unseen(model& m) {
    const auto missing = [&](std::uint32_t connection) {
        const auto* c = m.find(connection);
        return c == nullptr ? std::nullopt : missing_side(*c);
    };
    for (auto& b : m.batches) b.client_unseen = missing(b.connection) == direction::c2s;
    for (auto& w : m.writes) w.replica_unseen = missing(w.connection).has_value();
    for (auto& o : m.operations) o.answer_unseen = missing(o.connection).has_value();
}

void say_one_direction(model& m) {
    std::uint64_t all = 0, one_way = 0, from_server = 0;
    bool dcp = false, canal = false;
    for (const auto& c : m.connections) {
        if (carries_nothing(c)) continue;
        ++all;
        one_way += c.one_direction ? 1 : 0;
        dcp = dcp || (c.one_direction && c.carries == recover::protocol::dcp);
        canal = canal || (c.one_direction && c.carries != recover::protocol::dcp);
        from_server += missing_side(c) == direction::c2s ? 1 : 0;
    }
    if (one_way == 0) return;
    const auto which = from_server == one_way ? "server to client"
                       : from_server == 0     ? "client to server"
                                              : "one of the two ways";
    m.strip = fmt::format(
        "Only {} was captured in {} of {}. Rules that need both sides are off there: {}.", which,
        number(one_way), count(all, "connection"), rules_of_both_sides(dcp, canal));
    if (m.hits.set_aside > 0)
        m.strip += fmt::format(" What they met nevertheless, {}, is only in the JSON.",
                               count(m.hits.set_aside, "time"));
}

}  // namespace cdcscope::report
