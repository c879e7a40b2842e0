// What a report can say of connections of which only one direction was captured.
#pragma once

#include <optional>

#include "analyzer/report/model.h"
#include "proto/wire/direction.h"

namespace cdcscope::report {

// The direction of which nothing was captured.
[[nodiscard]] std::optional<direction> missing_side(const connection& c) noexcept;

// Marks rows whose answer or acknowledgement was on that side.
void mark_unseen(model& m);

struct one_way {  // connections of which one direction was not captured
    std::uint64_t connections = 0, of = 0, from_server = 0;
    bool dcp = false, canal = false;  // what they carry
};
[[nodiscard]] one_way count_one_way(const model& m);

// "31 of 58 DCP rules": that can judge them.
[[nodiscard]] std::string rules_on_words(const one_way& which);

// Such a connection without a finding is not thereby healthy.
void mark_half_judged(model& m);

// Above the verdict: how many connections, and which rules are off there.
void say_one_direction(model& m);

}  // namespace cdcscope::report
