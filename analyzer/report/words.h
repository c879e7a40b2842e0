// The phrases that all forms of the report share. Names from the capture come
// out printable; markup is escaped by the renderers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/report/model.h"

namespace cdcscope::report {

[[nodiscard]] health health_of(severity s) noexcept;
// "error", "warning", "note", "chat"; "healthy".
[[nodiscard]] std::string_view word(health h) noexcept;
// "warning", "note, uncertain".
[[nodiscard]] std::string severity_words(severity s, bool uncertain);
// x ! i, or ? if uncertain; a blank for healthy.
[[nodiscard]] char mark(health h, bool uncertain = false) noexcept;

// Whether the other side has all that the capture lacks of the connection: every hole was
// acknowledged by TCP, or (`or_cut`) only cut off by the snapshot length.
[[nodiscard]] bool other_side_has_all(const connection& c, bool or_cut) noexcept;

// Of the bytes of a connection that were not read, the pieces one by one where they are few, and
// where they stand if there is one hole: "51 B before the hole, 176 B after it"; else empty.
[[nodiscard]] std::string pieces_words(const connection& c);

// "DCP consumer", "canal client".
[[nodiscard]] std::string_view role_words(role r) noexcept;
// "DCP", "KV", "canal".
[[nodiscard]] std::string_view protocol_word(const connection& c) noexcept;
// "eq_dcpq:connector-1", "example / 1001"; of a name that is JSON its agent and id; without a name
// what it is.
[[nodiscard]] std::string display_name(const connection& c);
// "DCP consumer, bucket travel".
[[nodiscard]] std::string role_and_target(const connection& c);
[[nodiscard]] std::uint64_t messages_of(const connection& c) noexcept;
[[nodiscard]] byte_account bytes_of(const connection& c) noexcept;
// "6 DCP, 1 KV, 3 canal connections".
[[nodiscard]] std::string protocols_sentence(const model& m);

struct fact {
    std::string label, value;
};
// What the card of a connection says in pairs: window, keep-alive, durable writes, batches, who
// closed it.
[[nodiscard]] std::vector<fact> facts_of(const model& m, const connection& c);

// "open, snapshot incomplete", "refused 4 ×: not my vbucket (0x07)".
[[nodiscard]] std::string state_words(const stream_row& s);
// From its request to its end, or that of its connection; -1: it never opened, or its beginning is
// not known.
[[nodiscard]] std::int64_t lifetime_of(const model& m, const stream_row& s) noexcept;
// "acknowledged", "refused, then acknowledged", "open".
[[nodiscard]] std::string state_words(const batch_row& b);
// What became of it, without a remark: "acknowledged".
[[nodiscard]] std::string fate_words(const batch_row& b);
// "1 row, shop.orders".
[[nodiscard]] std::string content_words(const batch_row& b);
[[nodiscard]] std::string outcome_words(const durable_write& w);

// "3 more in the JSON", "295 more, 95 of them in the JSON": `unlisted` are not.
[[nodiscard]] std::string beyond_words(std::uint64_t more, std::uint64_t unlisted);
// "vb 0..299", "vb 1, 5, 7..9 and 20 more"; each once, in order.
[[nodiscard]] std::string vbuckets_words(const std::vector<std::uint16_t>& partitions);
// "Out of range": of a status of DCP.
[[nodiscard]] std::string status_title(std::uint16_t status);
// Why a stream request is refused, in the words of those who read reports.
[[nodiscard]] std::string refusal_words(std::uint16_t status);

// Rows in words (words_rows.cpp).
// "29 mutation, 1 deletion, 1 snapshot marker".
[[nodiscard]] std::string type_list(const connection& c);
// "from seqno 0, no end asked; 14 items, seqno 1..14; at 14 of snapshot 0..60".
// And, if `holes`, which seqnos were not captured.
[[nodiscard]] std::string stream_words(const stream_row& s, bool holes = true);
// "SET, Majority"; "2.1 ms", "14.101 s +"; "Success, seqno 77, vb uuid 0xa1b2c3d4e5f6".
[[nodiscard]] std::string request_words(const operation& o);
[[nodiscard]] std::string waited_words(const operation& o);
[[nodiscard]] std::string answer_words(const operation& o);
// What is behind the last item of a stream was perhaps not taken: "sent, not acknowledged"; or
// empty.
[[nodiscard]] std::string resume_remark(const model& m, const stream_row& s);
inline constexpr std::string_view resume_streams =
    "What a stream request has to say to go on behind the last item that was captured.";
inline constexpr std::string_view resume_positions =
    "From where each destination goes on: the last entry that was acknowledged.";
// "4.0 ms", "13.999 s +"; "after 2.0 ms", "none".
[[nodiscard]] std::string latency_words(const durable_write& d);
[[nodiscard]] std::string replica_words(const durable_write& d);
// Without content: "mutation plain (vb 3, seqno 2, rev 2), json + xattr, value 166 B".
[[nodiscard]] std::string item_words(const item_sample& s);
// "UPDATE shop.orders: id 1 byte, note empty; before: note null; key id".
[[nodiscard]] std::string row_words(const row_sample& s);
// "acknowledged after 350 ms, 2.000 s behind, 3 entries, 312 B, 1 row, shop.orders".
[[nodiscard]] std::string batch_words(const batch_row& b);
// " after 966 ms"; of a batch that was dropped by what had been sent before it came, that. Empty if
// it is open.
[[nodiscard]] std::string after_words(const batch_row& b);
// From delivery to the end of a batch, 0 where its end was sent before: it took effect on arrival.
[[nodiscard]] std::int64_t held_ns(const batch_row& b) noexcept;
// "900 in batches 1, 2, 3 with 7 rows".
[[nodiscard]] std::string transaction_words(const split_transaction& t);

// Why the errors, warnings and notes are more than the findings; empty where they are not.
[[nodiscard]] std::string folded_words(const model& m);
// "2 errors, 20 warnings, 35 notes in 21 findings." and "1 chat (everyday detail, no fault) is only
// in the JSON: what it is."
[[nodiscard]] std::string tally_sentence(const model& m);
[[nodiscard]] std::string chats_sentence(const model& m);
// How long the capture lasts: "140.0 s".
[[nodiscard]] std::string length_words(const model& m);
// "943 packets"; with a filter "200 of 943 packets (--filter)".
[[nodiscard]] std::string packets_looked_at(const model& m);
// "2026-11-30 06:22:00.000 to 06:24:20.001 UTC (140.0 s)".
[[nodiscard]] std::string span_words(const model& m);
// Time of an event: with its date where the capture has several.
[[nodiscard]] std::string time_words(const model& m, std::int64_t ns);
// "travel-1.pcap, travel-2.pcap".
[[nodiscard]] std::string file_list(const model& m);
// The title as the beginning of a line: with a capital letter unless it begins with a name.
[[nodiscard]] std::string title_words(const model& m, const card& c);
// "rules D11, D13, D15", "rule 14", empty.
[[nodiscard]] std::string rules_words(const card& c);
// "c1 to c6, c8".
[[nodiscard]] std::string id_ranges(std::vector<std::uint32_t> ids);
// Where unparsed bytes come from: "pieces of the messages that the hole cuts, another protocol".
[[nodiscard]] std::string unparsed_words(const model& m);
// What a filter is of: the file of its frames, "connection", "with plugin".
[[nodiscard]] std::string short_label(const display_filter& f);
// "frame.number in {24, 60, 313}" for each file that holds evidence of it.
[[nodiscard]] std::string frames_filter(const std::vector<std::uint32_t>& frames);

}  // namespace cdcscope::report
