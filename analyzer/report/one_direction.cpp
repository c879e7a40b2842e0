#include "analyzer/report/one_direction.h"

#include <fmt/format.h>

#include <algorithm>

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

one_way count_one_way(const model& m) {
    one_way found;
    for (const auto& c : m.connections) {
        if (carries_nothing(c)) continue;
        ++found.of;
        if (!c.one_direction) continue;
        ++found.connections;
        found.from_server += missing_side(c) == direction::c2s ? 1 : 0;
        (c.carries == recover::protocol::dcp ? found.dcp : found.canal) = true;
    }
    return found;
}

std::string rules_on_words(const one_way& which) {
    std::uint64_t on = 0, all = 0;
    for (const auto& row : findings::table()) {
        if (row.rule.empty() || !(row.of == findings::protocol::dcp ? which.dcp : which.canal))
            continue;
        ++all;
        on += row.both_sides ? 0 : 1;
    }
    const auto of = which.dcp && which.canal ? "" : which.dcp ? "DCP " : "canal ";
    return fmt::format("{} of {} {}rules", number(on), number(all), of);
}

void mark_half_judged(model& m) {
    for (auto& c : m.connections) {
        if (!c.one_direction || carries_nothing(c) || !c.cards.empty() || !c.condition.empty())
            continue;
        c.condition = "one direction only";
        c.fared = std::max(c.fared, health::note);
    }
}

void say_one_direction(model& m) {
    const auto found = count_one_way(m);
    if (found.connections == 0) return;
    const auto which = found.from_server == found.connections ? "server to client"
                       : found.from_server == 0               ? "client to server"
                                                              : "one of the two ways";
    m.strip = fmt::format(
        "Only {} was captured in {} of {}. Rules that need both sides are off there: {}.", which,
        number(found.connections), count(found.of, "connection"),
        rules_of_both_sides(found.dcp, found.canal));
    if (m.hits.set_aside > 0)
        m.strip += fmt::format(" What they met nevertheless, {}, is only in the JSON.",
                               count(m.hits.set_aside, "time"));
}

}  // namespace cdcscope::report
