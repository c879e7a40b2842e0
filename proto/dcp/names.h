// Names of values that more than one place needs: statuses, features, control keys ....

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cdcscope::dcp {

// A value that has a name: in JSON (`name`) and for people (`title`). All text of the tables is
// static and ends with a zero byte.
struct named_value {
    std::uint32_t value;
    std::string_view name;
    std::string_view title;
};

// The entry for `value`, or null. `values` are in order of value.
[[nodiscard]] const named_value* find_value(std::span<const named_value> values,
                                            std::uint64_t value) noexcept;

namespace status {
inline constexpr std::uint16_t success = 0x00, key_enoent = 0x01, key_eexists = 0x02, einval = 0x04,
                               not_my_vbucket = 0x07, dcp_stream_not_found = 0x0a,
                               opaque_no_match = 0x0b, auth_continue = 0x21, erange = 0x22,
                               rollback = 0x23, enomem = 0x82, not_supported = 0x83,
                               etmpfail = 0x86, unknown_collection = 0x88, unknown_scope = 0x8c,
                               stream_id_invalid = 0x8d, range_scan_more = 0xa6,
                               range_scan_complete = 0xa7, subdoc_multi_path_failure = 0xcc,
                               subdoc_success_deleted = 0xcd,
                               subdoc_multi_path_failure_deleted = 0xd3;
}

namespace open_flag {
inline constexpr std::uint32_t producer = 0x001, include_xattrs = 0x004, no_value = 0x008,
                               include_delete_times = 0x020,
                               no_value_with_underlying_datatype = 0x040,
                               include_deleted_user_xattrs = 0x100,
                               skip_deletes_in_initial_backfill = 0x200;
}

// Of STREAM_REQ and ADD_STREAM.
namespace stream_flag {
inline constexpr std::uint32_t takeover = 0x001, disk_only = 0x002, to_latest = 0x004,
                               active_vb_only = 0x010, strict_vbuuid = 0x020, from_latest = 0x040,
                               ignore_purged_tombstones = 0x080, cache_transfer = 0x100,
                               valid = 0x1f7;
}

namespace snapshot_flag {
inline constexpr std::uint32_t memory = 0x01, disk = 0x02, checkpoint = 0x04, ack = 0x08,
                               history = 0x10, may_contain_duplicates = 0x20;
}

namespace oso_flag {
inline constexpr std::uint32_t start = 1, end = 2;
}

namespace end_reason {
inline constexpr std::uint32_t ok = 0, closed = 1, state_changed = 2, disconnected = 3,
                               too_slow = 4, backfill_failed = 5, rollback = 6, filter_empty = 7,
                               lost_privileges = 8;
}

namespace vbucket_state {
inline constexpr std::uint8_t active = 1, replica = 2, pending = 3, dead = 4;
}

namespace feature {
inline constexpr std::uint16_t mutation_seqno = 0x04, xattr = 0x06, snappy = 0x0a, json = 0x0b,
                               duplex = 0x0c, tracing = 0x0f, alt_request = 0x10,
                               sync_replication = 0x11, collections = 0x12, unit_usage = 0x1a;
}

namespace frame_info {  // ids in requests; in responses they mean other things
inline constexpr std::uint16_t barrier = 0, durability = 1, stream_id = 2, impersonate_user = 4,
                               preserve_ttl = 5, extra_privilege = 6, auth_token = 7;
}

inline constexpr named_value status_names[] = {
    {0x00, "Success", "Success"},
    {0x01, "KeyEnoent", "Key not found"},
    {0x02, "KeyEexists", "Key exists"},
    {0x03, "E2big", "Too big"},
    {0x04, "Einval", "Invalid arguments"},
    {0x05, "NotStored", "Not stored"},
    {0x06, "DeltaBadval", "Not a number"},
    {0x07, "NotMyVbucket", "Not my vBucket"},
    {0x08, "NoBucket", "No bucket selected"},
    {0x09, "Locked", "Locked"},
    {0x0a, "DcpStreamNotFound", "DCP stream not found"},
    {0x0b, "OpaqueNoMatch", "Opaque does not match"},
    {0x0c, "EWouldThrottle", "Would throttle"},
    {0x0d, "EConfigOnly", "Configuration only bucket"},
    {0x0e, "NotLocked", "Not locked"},
    {0x0f, "CasValueInvalid", "Invalid CAS"},
    {0x1f, "AuthStale", "Authentication stale"},
    {0x20, "AuthError", "Authentication error"},
    {0x21, "AuthContinue", "Authentication continues"},
    {0x22, "Erange", "Out of range"},
    {0x23, "Rollback", "Rollback"},
    {0x24, "Eaccess", "No access"},
    {0x25, "NotInitialized", "Not initialized"},
    {0x26, "EncryptionKeyNotAvailable", "Encryption key not available"},
    {0x27, "ChecksumMismatch", "Checksum mismatch"},
    {0x28, "ExpiryOverflow", "Expiry overflow"},
    {0x29, "LockExpiryOverflow", "Lock expiry overflow"},
    {0x30, "RateLimitedNetworkIngress", "Rate limited: ingress"},
    {0x31, "RateLimitedNetworkEgress", "Rate limited: egress"},
    {0x32, "RateLimitedMaxConnections", "Rate limited: connections"},
    {0x33, "RateLimitedMaxCommands", "Rate limited: commands"},
    {0x34, "ScopeSizeLimitExceeded", "Scope size limit exceeded"},
    {0x35, "BucketSizeLimitExceeded", "Bucket size limit exceeded"},
    {0x36, "BucketResidentRatioTooLow", "Bucket resident ratio too low"},
    {0x37, "BucketDataSizeTooBig", "Bucket data size too big"},
    {0x38, "BucketDiskSpaceTooLow", "Disk space too low"},
    {0x50, "BucketPaused", "Bucket paused"},
    {0x51, "Cancelled", "Cancelled"},
    {0x80, "UnknownFrameInfo", "Unknown frame info"},
    {0x81, "UnknownCommand", "Unknown command"},
    {0x82, "Enomem", "Out of memory"},
    {0x83, "NotSupported", "Not supported"},
    {0x84, "Einternal", "Internal error"},
    {0x85, "Ebusy", "Busy"},
    {0x86, "Etmpfail", "Temporary failure"},
    {0x87, "XattrEinval", "Invalid extended attribute"},
    {0x88, "UnknownCollection", "Unknown collection"},
    {0x89, "NoCollectionsManifest", "No collections manifest"},
    {0x8a, "CannotApplyCollectionsManifest", "Cannot apply collections manifest"},
    {0x8b, "CollectionsManifestIsAhead", "Collections manifest is ahead"},
    {0x8c, "UnknownScope", "Unknown scope"},
    {0x8d, "DcpStreamIdInvalid", "DCP stream id invalid"},
    {0xa0, "DurabilityInvalidLevel", "Invalid durability level"},
    {0xa1, "DurabilityImpossible", "Durability impossible"},
    {0xa2, "SyncWriteInProgress", "Sync write in progress"},
    {0xa3, "SyncWriteAmbiguous", "Sync write ambiguous"},
    {0xa4, "SyncWriteReCommitInProgress", "Sync write re-commit in progress"},
    {0xa5, "RangeScanCancelled", "Range scan cancelled"},
    {0xa6, "RangeScanMore", "Range scan has more"},
    {0xa7, "RangeScanComplete", "Range scan complete"},
    {0xa8, "VbUuidNotEqual", "vBucket UUID not equal"},
    {0xc0, "SubdocPathEnoent", "Path not found"},
    {0xc1, "SubdocPathMismatch", "Path mismatch"},
    {0xc2, "SubdocPathEinval", "Invalid path"},
    {0xc3, "SubdocPathE2big", "Path too big"},
    {0xc4, "SubdocDocE2deep", "Document too deep"},
    {0xc5, "SubdocValueCantinsert", "Value cannot be inserted"},
    {0xc6, "SubdocDocNotJson", "Document is not JSON"},
    {0xc7, "SubdocNumErange", "Number out of range"},
    {0xc8, "SubdocDeltaEinval", "Invalid delta"},
    {0xc9, "SubdocPathEexists", "Path exists"},
    {0xca, "SubdocValueEtoodeep", "Value too deep"},
    {0xcb, "SubdocInvalidCombo", "Invalid combination of paths"},
    {0xcc, "SubdocMultiPathFailure", "Some paths failed"},
    {0xcd, "SubdocSuccessDeleted", "Success on a deleted document"},
    {0xce, "SubdocXattrInvalidFlagCombo", "Invalid combination of flags"},
    {0xcf, "SubdocXattrInvalidKeyCombo", "Invalid combination of keys"},
    {0xd0, "SubdocXattrUnknownMacro", "Unknown macro"},
    {0xd1, "SubdocXattrUnknownVattr", "Unknown virtual attribute"},
    {0xd2, "SubdocXattrCantModifyVattr", "Virtual attribute cannot be modified"},
    {0xd3, "SubdocMultiPathFailureDeleted", "Some paths failed on a deleted document"},
    {0xd4, "SubdocInvalidXattrOrder", "Invalid order of attributes"},
    {0xd5, "SubdocXattrUnknownVattrMacro", "Unknown macro of a virtual attribute"},
    {0xd6, "SubdocCanOnlyReviveDeletedDocuments", "Only deleted documents can be revived"},
    {0xd7, "SubdocDeletedDocumentCantHaveValue", "A deleted document has no value"},
    {0xd8, "SubdocFieldNotBinaryValue", "Attribute is no binary value"},
};

inline constexpr named_value feature_names[] = {
    {0x01, "Invalid", "Invalid"},
    {0x02, "TLS", "TLS"},
    {0x03, "TCP_NODELAY", "TCP no-delay"},
    {0x04, "MUTATION_SEQNO", "Mutation seqno"},
    {0x05, "TCP_DELAY", "TCP delay"},
    {0x06, "XATTR", "Extended attributes"},
    {0x07, "XERROR", "Extended error codes"},
    {0x08, "SELECT_BUCKET", "Select bucket"},
    {0x09, "Invalid2", "Invalid"},
    {0x0a, "SNAPPY", "Snappy"},
    {0x0b, "JSON", "JSON datatype"},
    {0x0c, "DUPLEX", "Duplex"},
    {0x0d, "CLUSTERMAP_CHANGE_NOTIFICATION", "Cluster map change notification"},
    {0x0e, "UNORDERED_EXECUTION", "Unordered execution"},
    {0x0f, "TRACING", "Tracing"},
    {0x10, "ALT_REQUEST_SUPPORT", "Alternative requests"},
    {0x11, "SYNC_REPLICATION", "Sync replication"},
    {0x12, "COLLECTIONS", "Collections"},
    {0x13, "SNAPPY_EVERYWHERE", "Snappy everywhere"},
    {0x14, "PRESERVE_TTL", "Preserve TTL"},
    {0x15, "VATTR", "Virtual attributes"},
    {0x16, "Invalid3", "Invalid"},
    {0x17, "SUBDOC_CREATE_AS_DELETED", "Sub-document create as deleted"},
    {0x18, "SUBDOC_DOCUMENT_MACRO_SUPPORT", "Sub-document macros"},
    {0x19, "SUBDOC_REPLACE_BODY_WITH_XATTR", "Sub-document replace body with attribute"},
    {0x1a, "REPORT_UNIT_USAGE", "Report unit usage"},
    {0x1b, "NON_BLOCKING_THROTTLING_MODE", "Non-blocking throttling"},
    {0x1c, "SUBDOC_REPLICA_READ", "Sub-document replica read"},
    {0x1d, "GET_CLUSTER_CONFIG_WITH_KNOWN_VERSION", "Cluster configuration with known version"},
    {0x1e, "DEDUPE_NOT_MY_VBUCKET_CLUSTERMAP", "Not-my-vBucket cluster map once"},
    {0x1f, "CLUSTERMAP_CHANGE_NOTIFICATION_BRIEF", "Brief cluster map change notification"},
    {0x20, "SUBDOC_ALLOWS_ACCESS_ON_MULTIPLE_XATTR_KEYS",
     "Sub-document access to several attributes"},
    {0x21, "SUBDOC_BINARY_XATTR", "Binary attributes"},
    {0x22, "RANGE_SCAN_INCLUDE_XATTR", "Range scan includes attributes"},
    {0x23, "SUBDOC_ALLOW_REPLICA_READ_ON_DELETED_DOCS",
     "Sub-document replica read of deleted documents"},
    {0x24, "GET_RANDOM_KEY_INCLUDE_XATTR", "Random key includes attributes"},
    {0x25, "MUTATE_WITH_META", "Mutate with meta"},
    {0x26, "DCP_SKIP_DELETES_IN_INITIAL_BACKFILL", "DCP skip deletes in initial backfill"},
};

inline constexpr named_value end_reason_names[] = {
    {0, "Ok", "OK, end seqno reached"},
    {1, "Closed", "Closed by the consumer"},
    {2, "StateChanged", "vBucket changed state"},
    {3, "Disconnected", "Disconnected"},
    {4, "TooSlow", "Too slow"},
    {5, "BackfillFailed", "Backfill failed"},
    {6, "Rollback", "Rollback"},
    {7, "FilterEmpty", "Filter is empty"},
    {8, "LostPrivileges", "Lost privileges"},
};

inline constexpr named_value durability_names[] = {
    {1, "majority", "Majority"},
    {2, "majorityAndPersistOnActive", "Majority and persist on active"},
    {3, "persistToMajority", "Persist to majority"},
};

inline constexpr named_value vbucket_state_names[] = {
    {1, "active", "Active"},
    {2, "replica", "Replica"},
    {3, "pending", "Pending"},
    {4, "dead", "Dead"},
};

// A setting of DCP_CONTROL. `meaning` is what a value that is not listed says; `known`: the values
// that say something of their own.
struct control_value {
    std::string_view value, meaning;
};
struct control_key {
    std::string_view key;
    std::string_view values;  // what is sent: "true/false", "bytes" ...
    std::string_view since;   // release
    std::string_view meaning;
    std::span<const control_value> known = {};
};
namespace control_values {
inline constexpr control_value connection_buffer_size[] = {{"0", "no flow control"}};
inline constexpr control_value enable_noop[] = {{"true", "the producer sends noops"},
                                                {"false", "the producer sends no noops"}};
inline constexpr control_value set_priority[] = {{"high", "this connection goes before others"},
                                                 {"medium", "the usual priority"},
                                                 {"low", "other connections go before this one"}};
inline constexpr control_value force_value_compression[] = {
    {"true", "values are sent as Snappy"}, {"false", "values are sent as they are stored"}};
inline constexpr control_value enable_expiry_opcode[] = {
    {"true", "expired documents come as expirations"},
    {"false", "expired documents come as deletions"}};
inline constexpr control_value backfill_order[] = {
    {"round-robin", "backfills take turns"},
    {"sequential", "a backfill runs to its end before the next one begins"}};
inline constexpr control_value enable_out_of_order_snapshots[] = {
    {"true", "backfills may come in key order"},
    {"true_with_seqno_advanced",
     "backfills may come in key order, with a seqno advanced before their end"}};
}  // namespace control_values
inline constexpr control_key control_keys[] = {
    {"connection_buffer_size", "bytes", "3.0", "flow-control window of the connection in bytes",
     control_values::connection_buffer_size},
    {"stream_buffer_size", "bytes", "3.0", "window of each stream; never supported"},
    {"enable_noop", "true/false", "3.0", "noops of the producer", control_values::enable_noop},
    {"set_noop_interval", "seconds", "3.0.1", "seconds between noops; fractions since 7.6"},
    {"set_priority", "high/medium/low", "4.0", "priority of the connection",
     control_values::set_priority},
    {"enable_ext_metadata", "true", "4.0", "extended metadata behind the value (until 6.6)"},
    {"force_value_compression", "true/false", "5.5", "compression of values",
     control_values::force_value_compression},
    {"supports_cursor_dropping", "true", "4.5", "a slow stream may go back to disk"},
    {"supports_cursor_dropping_vulcan", "true", "5.5", "a slow stream may go back to disk"},
    {"supports_hifi_MFU", "true", "5.5", "the nru byte is an 8-bit frequency counter"},
    {"send_stream_end_on_client_close_stream", "true", "5.5",
     "a closed stream ends with a stream end"},
    {"enable_expiry_opcode", "true/false", "6.5", "how expired documents come",
     control_values::enable_expiry_opcode},
    {"enable_stream_id", "true", "6.5", "several streams for a vBucket, told apart by a stream id"},
    {"enable_sync_writes", "true", "6.5", "prepares, commits and aborts are sent"},
    {"consumer_name", "text", "6.5",
     "name of the replica; with sync writes it makes the connection a sync replication"},
    {"backfill_order", "round-robin/sequential", "6.6", "order in which backfills run",
     control_values::backfill_order},
    {"include_deleted_user_xattrs", "true", "6.6",
     "asks whether user attributes of deleted documents are sent"},
    {"v7_dcp_status_codes", "true", "7.0",
     "stream not found and opaque mismatch have statuses of their own"},
    {"enable_out_of_order_snapshots", "true/true_with_seqno_advanced", "7.0",
     "whether backfills may come in key order", control_values::enable_out_of_order_snapshots},
    {"flatbuffers_system_events", "true", "7.2", "system events of version 2"},
    {"change_streams", "true", "7.2", "history snapshots with every version of a document"},
    {"max_marker_version", "2.2", "8.0", "highest version of snapshot markers"},
    {"cache_transfer", "text", "after 8.0", "asks whether a cache transfer may be requested"},
};

// Statuses that applications may use as they like (0xff00 to 0xffff) count as known.
[[nodiscard]] bool is_known_status(std::uint16_t status) noexcept;

// The response carries the result that the command promises: success, and the statuses that go with
// a result.
[[nodiscard]] bool carries_result(std::uint16_t status) noexcept;

[[nodiscard]] const control_key* find_control(std::string_view key) noexcept;
// What a setting with this value means; empty if it is unknown, or if its value is none that
// the setting has: `true` where true is all there is.
[[nodiscard]] std::string_view meaning_of(const control_key& setting,
                                          std::string_view value) noexcept;

}  // namespace cdcscope::dcp
