// Every field of DCP and of the commands around it, once: its filter name, title, type, JSON name
// and the names of its values. Layouts (opcodes.h) say where a field stands.

#pragma once

#include <array>
#include <span>
#include <string_view>

#include "proto/dcp/names.h"

namespace cdcscope::dcp {

enum class field_type : std::uint8_t {
    group,  // a tree of other fields; text and bytes of its own are not shown
    u8,
    u16,
    u32,
    u64,
    i64,
    boolean,  // one byte, 0 is false
    bit,      // `mask` of the nearest field above it that is no bit
    leb128,   // unsigned, up to 32 bits, 1 to 5 bytes
    text,     // usually UTF-8
    bytes,
    frame,       // worked out: number of another frame
    duration,    // worked out: nanoseconds
    percentage,  // worked out: real number, shown with a per-cent sign
};

enum class field_display : std::uint8_t {
    decimal,
    hex,
    utc_seconds,  // seconds since 1970, 0: none
};

// How the field stands in a JSON object.
enum class json_form : std::uint8_t {
    none,  // not written
    number,
    number_hex,  // and `<name>Hex`, 0x and all digits
    nonzero,     // number, left out if 0
    hex,         // text: digits without 0x, no leading zeros (manifest uids)
    opaque,      // text: 0x and digits in wire order, no leading zeros
    boolean,
    name,         // name of the value, its number if it has none
    name_code,    // name of the value, and `<name>Code`: the number
    bit_names,    // list of the names of the bits that are set; left out if 0
    number_bits,  // number, and `flagNames`: list of the names of the bits that are set, left out
                  // if 0
    text,         // or `<name>Base64`
};

enum class field_id : std::uint16_t {
    // header
    magic,
    opcode,
    push_opcode,
    key_length,
    short_key_length,
    framing_length,
    extras_length,
    datatype,
    datatype_json,
    datatype_snappy,
    datatype_xattr,
    vbucket,
    status,
    body_length,
    opaque,
    cas,
    // parts
    framing,
    extras,
    key,
    value,
    value_length,
    body,
    undecoded,
    // framing extras
    frame_info,
    frame_id,
    response_frame_id,
    frame_length,
    frame_data,
    durability,
    durability_timeout,
    stream_id,
    impersonated_user,
    privilege,
    auth_token_id,
    server_duration,
    read_units,
    write_units,
    throttle_duration,
    framing_length_zero,
    // keys
    collection_id,
    document_key,
    collection_name,
    scope_name,
    // streams
    open_seqno,
    open_name,
    open_flags,
    open_producer,
    open_notifier,
    open_include_xattrs,
    open_no_value,
    open_collections,
    open_delete_times,
    open_underlying_datatype,
    open_pitr,
    open_deleted_user_xattrs,
    open_skip_deletes,
    open_value,
    consumer_name,
    stream_flags,
    stream_takeover,
    stream_disk_only,
    stream_to_latest,
    stream_no_value,
    stream_active_only,
    stream_strict_uuid,
    stream_from_latest,
    stream_ignore_purged,
    stream_cache_transfer,
    stream_opaque,
    stream_reserved,
    start_seqno,
    end_seqno,
    vbucket_uuid,
    snapshot_start_seqno,
    snapshot_end_seqno,
    stream_filter,
    filter_uid,
    filter_stream_id,
    filter_collections,
    filter_scope,
    filter_purge_seqno,
    filter_free_memory,
    filter_all_keys,
    failover_entry,
    failover_uuid,
    failover_seqno,
    rollback_seqno,
    end_reason,
    // snapshots
    snapshot_version,
    snapshot_start,
    snapshot_end,
    snapshot_flags,
    snapshot_memory,
    snapshot_disk,
    snapshot_checkpoint,
    snapshot_ack,
    snapshot_history,
    snapshot_duplicates,
    max_visible_seqno,
    high_completed_seqno,
    snapshot_timestamp,
    purge_seqno,
    high_prepared_seqno,
    oso_flags,
    oso_start,
    oso_end,
    // items
    by_seqno,
    rev_seqno,
    item_flags,
    expiration,
    lock_time,
    nmeta,
    nru,
    delete_time,
    unused,
    deleted,
    prepared_seqno,
    commit_seqno,
    abort_seqno,
    xattrs,
    xattr,
    xattr_key,
    xattr_value,
    document,
    inflated_length,
    ext_meta,
    ext_meta_version,
    ext_meta_id,
    ext_meta_length,
    ext_meta_data,
    cache_record,
    cache_cas,
    cache_value_length,
    cache_key_length,
    cache_hint,
    // system events
    event_id,
    event_version,
    manifest_uid,
    scope_id,
    max_ttl,
    ttl_valid,
    history,
    default_collection_mvs,
    metered,
    flush_uid,
    system_collection,
    system_scope,
    // the connection
    vbucket_state,
    ack_bytes,
    control_key,
    control_value,
    hello_agent,
    agent_name,
    agent_connection,
    hello_feature,
    sasl_mechanism,
    sasl_mechanisms,
    secret,
    secret_length,
    bucket,
    version_text,
    stat_group,
    stat_name,
    stat_value,
    wanted_state,
    vbucket_seqno,
    seqno_entry,
    observe_format,
    observed_vbucket,
    observed_uuid,
    last_persisted_seqno,
    current_seqno,
    old_uuid,
    last_received_seqno,
    config_epoch,
    config_revision,
    map_revision,
    persisted_seqno,
    error_map_version,
    collection_path,
    json_value,
    error_text,
    error_context,
    error_reference,
    error_manifest_uid,
    sample_text,
    // key-value commands
    counter_delta,
    counter_initial,
    mutation_uuid,
    mutation_seqno,
    // worked out: all from here on
    seqno,
    request_in,
    response_in,
    response_time,
    partition,
    prepare_in,
    commit_in,
    abort_in,
    prepare_time,
    stream_open_in,
    stream_index,
    snapshot_in,
    snapshot_index,
    snapshot_remaining,
    flow_unacked,
    flow_window,
    flow_fill,
    flow_ack_in,
    stream_lag,
    collections_judged,
    control_meaning,
    count
};

inline constexpr std::size_t field_count = static_cast<std::size_t>(field_id::count);

struct field {
    field_id id;
    std::string_view abbreviation;  // filter name: "cbdcp.by_seqno"
    std::string_view title;
    field_type type = field_type::bytes;
    field_display display = field_display::decimal;
    std::string_view json = {};  // JSON name; bits: their name in the list
    json_form form = json_form::none;
    std::span<const named_value> values = {};
    std::uint64_t mask = 0;       // bits only
    std::string_view blurb = {};  // where it says more than the title
};

// Indexed by field_id.
extern const std::array<field, field_count> fields;

[[nodiscard]] inline const field& describe(field_id id) noexcept {
    return fields[static_cast<std::size_t>(id)];
}

// The bits of a field: the rows that follow it. Empty for fields that have none.
[[nodiscard]] std::span<const field> bits_of(field_id id) noexcept;

// Bytes that a number, boolean or bit occupies; 0 for everything else.
[[nodiscard]] constexpr std::size_t width(field_type type) noexcept {
    switch (type) {
        case field_type::u8:
        case field_type::boolean:
            return 1;
        case field_type::u16:
            return 2;
        case field_type::u32:
            return 4;
        case field_type::u64:
        case field_type::i64:
            return 8;
        default:
            return 0;
    }
}

// Worked out from other messages: no bytes of its own.
[[nodiscard]] constexpr bool is_worked_out(field_id id) noexcept {
    return id >= field_id::seqno;
}

}  // namespace cdcscope::dcp
