// The one table of everything that can be wrong or worth knowing: stable code, rule, severity,
// meaning, advice. The report, the plugin's experts, `cdcscope explain` and docs/findings.md print
// from it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "proto/findings/finding.h"

namespace cdcscope::findings {

// One enumerator a row of the table, in its order.
enum class code : std::uint16_t {
    dcp_seqno_not_increasing,
    dcp_seqno_outside_snapshot,
    dcp_snapshot_missing,
    dcp_stream_unknown,
    dcp_opaque_mismatch,
    dcp_vbucket_mismatch,
    dcp_snapshot_invalid,
    dcp_snapshot_overlap,
    dcp_snapshot_incomplete,
    dcp_key_repeated,
    dcp_flow_full,
    dcp_flow_overrun,
    dcp_flow_stalled,
    dcp_flow_ack_too_large,
    dcp_flow_ack_missing,
    dcp_flow_ack_unexpected,
    dcp_noop_unanswered,
    dcp_noop_unknown,
    dcp_producer_silent,
    dcp_stream_refused,
    dcp_stream_duplicate,
    dcp_stream_request_invalid,
    dcp_stream_rollback,
    dcp_rollback_ignored,
    dcp_rollback_loop,
    dcp_history_changed,
    dcp_stream_ended,
    dcp_stream_data_after_end,
    dcp_data_refused,
    dcp_prepare_unresolved,
    dcp_commit_without_prepare,
    dcp_commit_mismatch,
    dcp_prepare_second,
    dcp_prepare_slow,
    dcp_seqno_ack_invalid,
    dcp_prepare_unacknowledged,
    dcp_feature_not_negotiated,
    dcp_control_refused,
    dcp_noop_not_enabled,
    dcp_request_unanswered,
    dcp_response_unexpected,
    dcp_collection_unknown,
    dcp_value_mismatch,
    dcp_opcode_obsolete,
    dcp_field_reserved,
    dcp_oso_broken,
    dcp_takeover_unfinished,
    dcp_name_shared,
    dcp_framing_length_missing,
    dcp_stream_end_missing,
    dcp_stream_abandoned,
    dcp_item_redelivered,
    dcp_connection_silent,
    dcp_item_late,
    dcp_stream_past_end,
    dcp_flow_ack_short,
    dcp_malformed,

    canal_request_unanswered,
    canal_answer_unexpected,
    canal_request_refused,
    canal_ack_unknown_batch,
    canal_ack_out_of_order,
    canal_ack_no_batch,
    canal_auth_failed,
    canal_auth_clear_text,
    canal_version_mismatch,
    canal_rollback,
    canal_batch_redelivered,
    canal_batch_jump,
    canal_batch_unacknowledged,
    canal_lag,
    canal_packet_large,
    canal_request_too_early,
    canal_consumer_competing,
    canal_filter_changed,
    canal_packet_unsupported,
    canal_malformed,
    canal_transaction_incomplete,
    canal_connection_idle,
    canal_ddl,
    canal_write_delayed,

    tcp_gap,
    tcp_resync,
    tcp_acked_unseen,
    tcp_mid_stream,
    tcp_out_of_window,
    tcp_overlap_conflict,
    tcp_incomplete_at_end,
    tcp_reordered_syn,
    tcp_one_direction,
    tcp_duplicates,
    tcp_encrypted,
    tcp_foreign,
    tcp_out_of_step,
    tcp_retransmission,
    tcp_keep_alive,
    tcp_zero_window_probe,
    tcp_urgent,
    tcp_bad_checksum,
    tcp_rst_ignored,
    tcp_before_start,
    tcp_too_late,
    ip_fragment_incomplete,
    ip_fragment_overlap,
    capture_snaplen,
    capture_time_backwards,
    capture_truncated_file,
    capture_no_packets,
    capture_no_time_stamps,
    capture_unknown_link_type,
    capture_files_overlap,
    cap_memory,
    cap_message,
    cap_rules,
};

enum class protocol : std::uint8_t { dcp, canal, tcp, ip, capture, cap };
[[nodiscard]] std::string_view name(protocol p) noexcept;

// Wireshark's groups of expert items.
enum class group : std::uint8_t { protocol, malformed, sequence, response_code, undecoded };

inline constexpr std::size_t most_steps = 4;

struct entry {
    code what{};
    std::string_view text;  // "dcp.flow.stalled"
    std::string_view rule;  // "D13", "C5"; empty for those outside the numbered rules
    severity level{};       // the gravest that the rule gives
    severity least{};       // the mildest; both are often the same
    protocol of{};
    group expert{};
    std::string_view title;              // a few words, for lists
    std::string_view statement;          // the rule as a sentence
    std::string_view source;             // where the rule comes from
    std::string_view meaning;            // what it usually means
    std::string_view steps[most_steps];  // what to do, first step first; unused ones are empty
    bool both_sides = false;             // compares what the two sides said

    // The steps in use.
    [[nodiscard]] std::span<const std::string_view> advice() const noexcept;
};

// All rows, in the order of `code`.
[[nodiscard]] std::span<const entry> table() noexcept;

[[nodiscard]] const entry& entry_of(code what) noexcept;
// "D13", "d1", "C01": a rule of DCP or canal, whether there is one of that number or not.
struct rule_number {
    protocol of{};
    unsigned number = 0;
    bool operator==(const rule_number&) const = default;
};
[[nodiscard]] std::optional<rule_number> rule_of(std::string_view text) noexcept;
// Rules go from 1 to this.
[[nodiscard]] unsigned last_rule(protocol of) noexcept;
// By code text ("dcp.flow.stalled") or by rule ("D13"; any case); nothing if there is none.
[[nodiscard]] const entry* find_code(std::string_view text) noexcept;
[[nodiscard]] const entry* find_rule(std::string_view text) noexcept;
// The row whose code is most like a mistyped text; null if none is near.
[[nodiscard]] const entry* nearest(std::string_view text);

}  // namespace cdcscope::findings
