// From findings to what people read: rules that say the same fact go on one card, each card gets
// its sentence, evidence, filters and state, and all get their rank:
// what still goes on first, then by severity.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/report/model.h"
#include "proto/findings/table.h"
#include "proto/findings/thresholds.h"

namespace cdcscope::report {

// Fills m.cards, m.hits and what connections, streams and batches say of their findings;
// m.findings, tables and connections are there already.
void make_cards(model& m, const findings::thresholds& limits);

// ---- for the files that word cards

// Rows of the tables by connection number.
struct row_index {
    explicit row_index(const model& m);
    std::vector<std::vector<const stream_row*>> streams;
    std::vector<std::vector<const batch_row*>> batches;
    std::vector<std::vector<const durable_write*>> writes;
    std::unordered_map<std::uint64_t, std::int64_t> openings;  // by place
    std::int64_t latest = INT64_MIN;  // when the last of the connections was last heard of

    // When a stream of the same vbucket (and stream id) that opened on the connection was asked
    // for, the last time; INT64_MIN: never.
    [[nodiscard]] std::int64_t newest_opening(const stream_row& s) const noexcept;

    // Whether `c` was there to the end of the capture: not closed, or nothing came after its close.
    [[nodiscard]] bool lasts(const model& m, const connection& c) const noexcept;
};

// A card being worded: its findings, gravest first, and the connection they are about (null: the
// capture).
struct card_draft {
    const model& m;
    const row_index& rows;
    const findings::thresholds& limits;
    card& c;
    std::vector<const rule_finding*> parts;
    const connection* owner = nullptr;
    bool lasts = true;  // the owner was there to the end of the capture

    [[nodiscard]] const rule_finding& lead() const noexcept { return *parts.front(); }
    [[nodiscard]] const hit& first_hit() const noexcept { return lead().hits.front(); }
    // Of the card's connection.
    [[nodiscard]] const std::vector<const stream_row*>& streams() const {
        return rows.streams.at(c.connection);
    }
    [[nodiscard]] const std::vector<const batch_row*>& batches() const {
        return rows.batches.at(c.connection);
    }
    [[nodiscard]] const std::vector<const durable_write*>& writes() const {
        return rows.writes.at(c.connection);
    }
    [[nodiscard]] const rule_finding* part(findings::code what) const noexcept;
    void evidence(const frame_ref& at, std::string what);
};

// State of what lasted as long as its connection, but not to the end of the capture.
inline constexpr std::string_view until_its_end = "until the connection ended";

// Numbers among the figures of a hit; nothing if it has no such figure, or it is no number.
[[nodiscard]] std::optional<double> figure_of(const hit& h, std::string_view name);
[[nodiscard]] std::uint64_t count_of(const hit& h, std::string_view name);
[[nodiscard]] std::string text_of(const hit& h, std::string_view name);
// Whether it tells of a canal packet inside which its stream ends.
[[nodiscard]] bool ends_inside(const hit& h);

// What any code gets; then the words of those that have better ones.
void word_any(card_draft& d);
void word_dcp(card_draft& d);
void word_canal(card_draft& d);
void word_capture(card_draft& d);

}  // namespace cdcscope::report
