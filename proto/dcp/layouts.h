// Where fields stand in extras, values and records, by their offsets.
#pragma once

#include "proto/dcp/names.h"
#include "proto/dcp/opcodes.h"

namespace cdcscope::dcp::layouts {

using f = field_id;

inline constexpr layout nothing[] = {{"", 0, {}}};

inline constexpr field_at open_fields[] = {{f::open_seqno, 0}, {f::open_flags, 4}};
inline constexpr layout open[] = {{"", 8, open_fields}};

inline constexpr field_at stream_flags_fields[] = {{f::stream_flags, 0}};
inline constexpr layout stream_flags[] = {{"", 4, stream_flags_fields}};

inline constexpr field_at add_stream_response_fields[] = {{f::stream_opaque, 0}};
inline constexpr layout add_stream_response[] = {{"", 4, add_stream_response_fields}};

inline constexpr field_at stream_request_fields[] = {
    {f::stream_flags, 0},       {f::stream_reserved, 4}, {f::start_seqno, 8},
    {f::end_seqno, 16},         {f::vbucket_uuid, 24},   {f::snapshot_start_seqno, 32},
    {f::snapshot_end_seqno, 40}};
inline constexpr layout stream_request[] = {{"", 48, stream_request_fields}};

inline constexpr field_at failover_fields[] = {{f::failover_uuid, 0}, {f::failover_seqno, 8}};
inline constexpr layout failover_entries[] = {{"", 16, failover_fields}};

inline constexpr field_at rollback_fields[] = {{f::rollback_seqno, 0}};
inline constexpr layout rollback[] = {{"", 8, rollback_fields}};

inline constexpr status_value stream_request_answers[] = {
    {status::rollback, {presence::mandatory, value_kind::fixed, f::rollback_seqno, rollback}},
    {status::not_my_vbucket, {presence::optional, value_kind::json, f::json_value, {}}},
};

inline constexpr field_at stream_end_fields[] = {{f::end_reason, 0}};
inline constexpr layout stream_end[] = {{"", 4, stream_end_fields}};

// Version 1 has its fields in the extras, version 2.x only the number; the rest is in the value.
inline constexpr field_at marker_v1[] = {
    {f::snapshot_start, 0}, {f::snapshot_end, 8}, {f::snapshot_flags, 16}};
inline constexpr field_at marker_v2[] = {{f::snapshot_version, 0}};
inline constexpr layout marker[] = {{"1.0", 20, marker_v1}, {"2", 1, marker_v2}};

inline constexpr field_at marker_20[] = {{f::snapshot_start, 0},
                                         {f::snapshot_end, 8},
                                         {f::snapshot_flags, 16},
                                         {f::max_visible_seqno, 20},
                                         {f::high_completed_seqno, 28}};
inline constexpr field_at marker_21[] = {
    {f::snapshot_start, 0},     {f::snapshot_end, 8},          {f::snapshot_flags, 16},
    {f::max_visible_seqno, 20}, {f::high_completed_seqno, 28}, {f::snapshot_timestamp, 36}};
inline constexpr field_at marker_22[] = {{f::snapshot_start, 0},        {f::snapshot_end, 8},
                                         {f::snapshot_flags, 16},       {f::max_visible_seqno, 20},
                                         {f::high_completed_seqno, 28}, {f::purge_seqno, 36},
                                         {f::high_prepared_seqno, 44}};
inline constexpr layout marker_values[] = {
    {"2.0", 36, marker_20}, {"2.1", 44, marker_21}, {"2.2", 52, marker_22}};

inline constexpr field_at mutation_fields[] = {
    {f::by_seqno, 0},   {f::rev_seqno, 8}, {f::item_flags, 16}, {f::expiration, 20},
    {f::lock_time, 24}, {f::nmeta, 28},    {f::nru, 30}};
inline constexpr layout mutation[] = {{"", 31, mutation_fields}};

inline constexpr field_at deletion_v1[] = {{f::by_seqno, 0}, {f::rev_seqno, 8}, {f::nmeta, 16}};
inline constexpr field_at deletion_v2[] = {
    {f::by_seqno, 0}, {f::rev_seqno, 8}, {f::delete_time, 16}, {f::unused, 20}};
inline constexpr layout deletion[] = {{"V1", 18, deletion_v1}, {"V2", 21, deletion_v2}};

inline constexpr field_at expiration_fields[] = {
    {f::by_seqno, 0}, {f::rev_seqno, 8}, {f::delete_time, 16}};
inline constexpr layout expiration[] = {{"", 20, expiration_fields},
                                        {"before 6.5", 18, deletion_v1}};

inline constexpr field_at vbucket_state_fields[] = {{f::vbucket_state, 0}};
inline constexpr layout vbucket_state[] = {{"", 1, vbucket_state_fields}};

inline constexpr field_at buffer_ack_fields[] = {{f::ack_bytes, 0}};
inline constexpr layout buffer_ack[] = {{"", 4, buffer_ack_fields}};

inline constexpr field_at system_event_fields[] = {
    {f::by_seqno, 0}, {f::event_id, 8}, {f::event_version, 12}};
inline constexpr layout system_event[] = {{"", 13, system_event_fields}};

inline constexpr field_at collection_fields[] = {
    {f::manifest_uid, 0}, {f::scope_id, 8}, {f::collection_id, 12}};
inline constexpr field_at collection_ttl_fields[] = {
    {f::manifest_uid, 0}, {f::scope_id, 8}, {f::collection_id, 12}, {f::max_ttl, 16}};
inline constexpr field_at scope_fields[] = {{f::manifest_uid, 0}, {f::scope_id, 8}};
inline constexpr layout event_collection{"", 16, collection_fields};
inline constexpr layout event_collection_ttl{"", 20, collection_ttl_fields};
inline constexpr layout event_scope{"", 12, scope_fields};

inline constexpr field_at prepare_fields[] = {
    {f::by_seqno, 0},   {f::rev_seqno, 8}, {f::item_flags, 16}, {f::expiration, 20},
    {f::lock_time, 24}, {f::nru, 28},      {f::deleted, 29},    {f::durability, 30}};
inline constexpr layout prepare[] = {{"", 31, prepare_fields}};

inline constexpr field_at seqno_acknowledged_fields[] = {{f::prepared_seqno, 0}};
inline constexpr layout seqno_acknowledged[] = {{"", 8, seqno_acknowledged_fields}};

inline constexpr field_at commit_fields[] = {{f::prepared_seqno, 0}, {f::commit_seqno, 8}};
inline constexpr layout commit[] = {{"", 16, commit_fields}};

inline constexpr field_at abort_fields[] = {{f::prepared_seqno, 0}, {f::abort_seqno, 8}};
inline constexpr layout abort[] = {{"", 16, abort_fields}};

inline constexpr field_at seqno_advanced_fields[] = {{f::by_seqno, 0}};
inline constexpr layout seqno_advanced[] = {{"", 8, seqno_advanced_fields}};

inline constexpr field_at oso_fields[] = {{f::oso_flags, 0}};
inline constexpr layout oso_snapshot[] = {{"", 4, oso_fields}};

inline constexpr field_at cache_record_fields[] = {
    {f::cache_cas, 0},           {f::by_seqno, 8},    {f::rev_seqno, 16},
    {f::cache_value_length, 24}, {f::item_flags, 28}, {f::expiration, 32},
    {f::cache_key_length, 36},   {f::datatype, 38},   {f::cache_hint, 39}};
inline constexpr layout cache_record{"", 40, cache_record_fields};

inline constexpr field_at feature_fields[] = {{f::hello_feature, 0}};
inline constexpr layout features[] = {{"", 2, feature_fields}};

inline constexpr field_at seqnos_state[] = {{f::wanted_state, 0}};
inline constexpr field_at seqnos_state_collection[] = {{f::wanted_state, 0}, {f::collection_id, 4}};
inline constexpr layout seqnos_request[] = {
    {"", 0, {}}, {"", 4, seqnos_state}, {"", 8, seqnos_state_collection}};

inline constexpr field_at seqno_entry_fields[] = {{f::observed_vbucket, 0}, {f::vbucket_seqno, 2}};
inline constexpr layout seqno_entries[] = {{"", 10, seqno_entry_fields}};

inline constexpr field_at observe_request_fields[] = {{f::observed_uuid, 0}};
inline constexpr layout observe_request[] = {{"", 8, observe_request_fields}};
inline constexpr field_at observe_short[] = {{f::observe_format, 0},
                                             {f::observed_vbucket, 1},
                                             {f::observed_uuid, 3},
                                             {f::last_persisted_seqno, 11},
                                             {f::current_seqno, 19}};
inline constexpr field_at observe_long[] = {
    {f::observe_format, 0},        {f::observed_vbucket, 1}, {f::observed_uuid, 3},
    {f::last_persisted_seqno, 11}, {f::current_seqno, 19},   {f::old_uuid, 27},
    {f::last_received_seqno, 35}};
inline constexpr layout observe_response[] = {{"", 27, observe_short},
                                              {"after a failover", 43, observe_long}};

inline constexpr field_at config_version_fields[] = {{f::config_epoch, 0}, {f::config_revision, 8}};
inline constexpr layout cluster_config_request[] = {{"", 0, {}},
                                                    {"known version", 16, config_version_fields}};
inline constexpr field_at map_revision_fields[] = {{f::map_revision, 0}};
inline constexpr layout map_notification[] = {{"", 4, map_revision_fields},
                                              {"", 16, config_version_fields}};

inline constexpr field_at persistence_fields[] = {{f::persisted_seqno, 0}};
inline constexpr layout seqno_persistence[] = {{"", 8, persistence_fields}};

inline constexpr field_at collection_id_fields[] = {{f::manifest_uid, 0}, {f::collection_id, 8}};
inline constexpr layout collection_id_response[] = {{"", 12, collection_id_fields}};
inline constexpr field_at scope_id_fields[] = {{f::manifest_uid, 0}, {f::scope_id, 8}};
inline constexpr layout scope_id_response[] = {{"", 12, scope_id_fields}};

inline constexpr field_at error_map_fields[] = {{f::error_map_version, 0}};
inline constexpr layout error_map_request[] = {{"", 2, error_map_fields}};

// Commands on documents.
inline constexpr field_at get_response_fields[] = {{f::item_flags, 0}};
inline constexpr layout get_response[] = {{"", 0, {}}, {"", 4, get_response_fields}};
inline constexpr field_at store_fields[] = {{f::item_flags, 0}, {f::expiration, 4}};
inline constexpr layout store[] = {{"", 8, store_fields}};
inline constexpr field_at token_fields[] = {{f::mutation_uuid, 0}, {f::mutation_seqno, 8}};
inline constexpr layout mutation_token[] = {{"", 0, {}}, {"mutation token", 16, token_fields}};
inline constexpr field_at counter_fields[] = {
    {f::counter_delta, 0}, {f::counter_initial, 8}, {f::expiration, 16}};
inline constexpr layout counter[] = {{"", 20, counter_fields}};
inline constexpr field_at touch_fields[] = {{f::expiration, 0}};
inline constexpr layout touch[] = {{"", 4, touch_fields}};
inline constexpr layout flush[] = {{"", 0, {}}, {"", 4, touch_fields}};

}  // namespace cdcscope::dcp::layouts
