// Rows of the layout table: DCP, the commands around it, server pushes.
#include "proto/dcp/opcodes.h"

#include <algorithm>
#include <array>

#include "proto/dcp/layouts.h"
#include "proto/dcp/names.h"

namespace cdcscope::dcp {
namespace {

using enum presence;
using f = field_id;

constexpr key_rule document_key{mandatory, f::document_key, true};
constexpr key_rule maybe_document_key{optional, f::document_key, true};
constexpr value_rule document{optional, value_kind::document, f::document};
constexpr value_rule any_json{optional, value_kind::json, f::json_value};
constexpr value_rule raw_value{optional, value_kind::raw};
constexpr message_rule plain{};  // header only

// Messages of a stream from the producer, silent on success.
constexpr opcode_row stream_message(std::uint8_t opcode, std::string_view name,
                                    std::string_view title, std::string_view event,
                                    message_rule request) {
    return {.opcode = opcode,
            .name = name,
            .title = title,
            .event = event,
            .from = sender::producer,
            .answered = answer::on_error,
            .described = true,
            .known_extras = true,
            .has_vbucket = true,
            .of_stream = true,
            .flow_controlled = true,
            .stream_id = true,
            .request = request,
            .response = plain};
}
constexpr opcode_row item(opcode_row row) {
    row.data_change = true;
    row.has_cas = true;
    return row;
}
constexpr opcode_row outcome(opcode_row row) {  // of a prepare
    row.data_change = true;
    row.stream_id = false;
    return row;
}
constexpr opcode_row prepare(opcode_row row) {
    row = item(row);
    row.stream_id = false;
    row.flow_extra = 2;  // the server counts a size that it never sends (MB-46634)
    return row;
}
constexpr opcode_row uncounted_frame(opcode_row row) {
    row.frame_counts = false;
    return row;
}
// Requests that set up and keep a connection or stream.
constexpr opcode_row request(std::uint8_t opcode, std::string_view name, std::string_view title,
                             std::string_view event, sender from, answer answered, message_rule req,
                             message_rule response) {
    return {.opcode = opcode,
            .name = name,
            .title = title,
            .event = event,
            .from = from,
            .answered = answered,
            .described = true,
            .known_extras = true,
            .request = req,
            .response = response};
}
constexpr opcode_row of_stream(opcode_row row) {
    row.has_vbucket = true;
    row.of_stream = true;
    return row;
}
constexpr opcode_row takeover(opcode_row row) {
    row.has_vbucket = true;
    row.of_stream = true;
    row.flow_controlled = true;
    return row;
}
constexpr opcode_row of_vbucket(opcode_row row) {
    row.has_vbucket = true;
    return row;
}
constexpr opcode_row with_stream_id(opcode_row row) {
    row.stream_id = true;
    return row;
}
// Commands on documents: extras, keys and values as far as they are plain. `extras` empty and not
// known: anything goes.
constexpr opcode_row kv(std::uint8_t opcode, std::string_view name, std::string_view title,
                        std::string_view event, answer answered, message_rule req,
                        message_rule response) {
    return {.opcode = opcode,
            .name = name,
            .title = title,
            .event = event,
            .from = sender::client,
            .answered = answered,
            .known_extras = true,
            .has_vbucket = true,
            .has_cas = true,
            .request = req,
            .response = response};
}
// Only the name is known.
constexpr opcode_row named(std::uint8_t opcode, std::string_view name, std::string_view title,
                           std::string_view event, key_rule key = {optional, f::key, false}) {
    constexpr message_rule loose{{}, {optional, f::key, false}, raw_value, {}};
    return {.opcode = opcode,
            .name = name,
            .title = title,
            .event = event,
            .has_vbucket = key.collection_prefix,
            .has_cas = true,
            .request = {{}, key, raw_value, {}},
            .response = loose};
}

// Its value carries keys or passwords.
constexpr opcode_row secretive(opcode_row row) {
    row.request.value = {optional, value_kind::secret, f::value, {}};
    return row;
}

constexpr answer always = answer::always, on_error = answer::on_error,
                 never_answered = answer::never;

// Requests and responses of commands on documents.
constexpr message_rule get_request{layouts::nothing, document_key, {}, {}};
constexpr message_rule get_response{layouts::get_response, {}, document, {}};
constexpr message_rule getk_response{layouts::get_response, maybe_document_key, document, {}};
constexpr message_rule store_request{layouts::store, document_key, document, {}};
constexpr message_rule append_request{layouts::nothing, document_key, document, {}};
constexpr message_rule mutated{layouts::mutation_token, {}, {}, {}};
constexpr message_rule counter_request{layouts::counter, document_key, {}, {}};
constexpr message_rule counted{
    layouts::mutation_token, {}, {optional, value_kind::raw, f::value}, {}};
constexpr message_rule touch_request{layouts::touch, document_key, {}, {}};

// clang-format off
constexpr opcode_row client_rows[] = {
    kv(0x00, "GET", "Get", "get", always, get_request, get_response),
    kv(0x01, "SET", "Set", "set", always, store_request, mutated),
    kv(0x02, "ADD", "Add", "add", always, store_request, mutated),
    kv(0x03, "REPLACE", "Replace", "replace", always, store_request, mutated),
    kv(0x04, "DELETE", "Delete", "delete", always, append_request, mutated),
    kv(0x05, "INCREMENT", "Increment", "increment", always, counter_request, counted),
    kv(0x06, "DECREMENT", "Decrement", "decrement", always, counter_request, counted),
    request(0x07, "QUIT", "Quit", "quit", sender::client, never_answered, plain, plain),
    kv(0x08, "FLUSH", "Flush", "flush", always, {layouts::flush, {}, {}, {}},
       {layouts::mutation_token, {}, {}, {}}),
    kv(0x09, "GETQ", "Get Quietly", "getq", on_error, get_request, get_response),
    request(0x0a, "NOOP", "No-op", "noop", sender::any, always, plain, plain),
    request(0x0b, "VERSION", "Version", "version", sender::client, always, plain, {{}, {},
            {optional, value_kind::text, f::version_text}, {}}),
    kv(0x0c, "GETK", "Get with Key", "getk", always, get_request, getk_response),
    kv(0x0d, "GETKQ", "Get with Key Quietly", "getkq", on_error, get_request, getk_response),
    kv(0x0e, "APPEND", "Append", "append", always, append_request, mutated),
    kv(0x0f, "PREPEND", "Prepend", "prepend", always, append_request, mutated),
    request(0x10, "STAT", "Stat", "stat", sender::client, always, {{}, {optional, f::stat_group,
            false}, {optional, value_kind::text, f::stat_value}, {}}, {{}, {optional, f::stat_name,
            false}, {optional, value_kind::text, f::stat_value}, {}}),
    kv(0x11, "SETQ", "Set Quietly", "setq", on_error, store_request, mutated),
    kv(0x12, "ADDQ", "Add Quietly", "addq", on_error, store_request, mutated),
    kv(0x13, "REPLACEQ", "Replace Quietly", "replaceq", on_error, store_request, mutated),
    kv(0x14, "DELETEQ", "Delete Quietly", "deleteq", on_error, append_request, mutated),
    kv(0x15, "INCREMENTQ", "Increment Quietly", "incrementq", on_error, counter_request, counted),
    kv(0x16, "DECREMENTQ", "Decrement Quietly", "decrementq", on_error, counter_request, counted),
    named(0x17, "QUITQ", "Quit Quietly", "quitq"),
    named(0x18, "FLUSHQ", "Flush Quietly", "flushq"),
    kv(0x19, "APPENDQ", "Append Quietly", "appendq", on_error, append_request, mutated),
    kv(0x1a, "PREPENDQ", "Prepend Quietly", "prependq", on_error, append_request, mutated),
    named(0x1b, "VERBOSITY", "Verbosity", "verbosity"),
    kv(0x1c, "TOUCH", "Touch", "touch", always, touch_request, {layouts::get_response, {}, {}, {}}),
    kv(0x1d, "GAT", "Get and Touch", "gat", always, touch_request, get_response),
    kv(0x1e, "GATQ", "Get and Touch Quietly", "gatq", on_error, touch_request, get_response),
    request(0x1f, "HELLO", "Hello", "hello", sender::any, always, {{}, {optional, f::hello_agent,
            false}, {optional, value_kind::list, f::hello_feature, layouts::features}, {}}, {{},
            {}, {optional, value_kind::list, f::hello_feature, layouts::features}, {}}),
    request(0x20, "SASL_LIST_MECHS", "SASL List Mechanisms", "sasl_list_mechs", sender::any,
            always, plain, {{}, {}, {optional, value_kind::text, f::sasl_mechanisms}, {}}),
    request(0x21, "SASL_AUTH", "SASL Auth", "sasl_auth", sender::any, always, {{}, {optional,
            f::sasl_mechanism, false}, {optional, value_kind::secret, f::secret_length}, {}},
            {{}, {}, {optional, value_kind::secret, f::secret_length}, {}}),
    request(0x22, "SASL_STEP", "SASL Step", "sasl_step", sender::any, always, {{}, {optional,
            f::sasl_mechanism, false}, {optional, value_kind::secret, f::secret_length}, {}},
            {{}, {}, {optional, value_kind::secret, f::secret_length}, {}}),
    named(0x23, "IOCTL_GET", "Ioctl Get", "ioctl_get"),
    named(0x24, "IOCTL_SET", "Ioctl Set", "ioctl_set"),
    named(0x25, "CONFIG_VALIDATE", "Config Validate", "config_validate"),
    named(0x26, "CONFIG_RELOAD", "Config Reload", "config_reload"),
    named(0x27, "AUDIT_PUT", "Audit Put", "audit_put"),
    named(0x28, "AUDIT_CONFIG_RELOAD", "Audit Config Reload", "audit_config_reload"),
    named(0x29, "SHUTDOWN", "Shutdown", "shutdown"),
    named(0x2a, "SET_BUCKET_THROTTLE_PROPERTIES", "Set Bucket Throttle Properties",
          "set_bucket_throttle_properties"),
    named(0x2b, "SET_BUCKET_DATA_LIMIT_EXCEEDED", "Set Bucket Data Limit Exceeded",
          "set_bucket_data_limit_exceeded"),
    named(0x2c, "SET_NODE_THROTTLE_PROPERTIES", "Set Node Throttle Properties",
          "set_node_throttle_properties"),
    secretive(named(0x2d, "SET_ACTIVE_ENCRYPTION_KEYS", "Set Active Encryption Keys",
          "set_active_encryption_keys")),
    named(0x30, "RGET", "Range Get (removed)", "rget"),
    named(0x31, "RSET", "Range Set (removed)", "rset"),
    named(0x32, "RSETQ", "Range Set Quietly (removed)", "rsetq"),
    named(0x33, "RAPPEND", "Range Append (removed)", "rappend"),
    named(0x34, "RAPPENDQ", "Range Append Quietly (removed)", "rappendq"),
    named(0x35, "RPREPEND", "Range Prepend (removed)", "rprepend"),
    named(0x36, "RPREPENDQ", "Range Prepend Quietly (removed)", "rprependq"),
    named(0x37, "RDELETE", "Range Delete (removed)", "rdelete"),
    named(0x38, "RDELETEQ", "Range Delete Quietly (removed)", "rdeleteq"),
    named(0x39, "RINCR", "Range Increment (removed)", "rincr"),
    named(0x3a, "RINCRQ", "Range Increment Quietly (removed)", "rincrq"),
    named(0x3b, "RDECR", "Range Decrement (removed)", "rdecr"),
    named(0x3c, "RDECRQ", "Range Decrement Quietly (removed)", "rdecrq"),
    of_vbucket(named(0x3d, "SET_VBUCKET", "Set vBucket", "set_vbucket")),
    of_vbucket(named(0x3e, "GET_VBUCKET", "Get vBucket", "get_vbucket")),
    of_vbucket(named(0x3f, "DEL_VBUCKET", "Delete vBucket", "del_vbucket")),
    named(0x40, "TAP_CONNECT", "TAP Connect (removed)", "tap_connect"),
    named(0x41, "TAP_MUTATION", "TAP Mutation (removed)", "tap_mutation"),
    named(0x42, "TAP_DELETE", "TAP Delete (removed)", "tap_delete"),
    named(0x43, "TAP_FLUSH", "TAP Flush (removed)", "tap_flush"),
    named(0x44, "TAP_OPAQUE", "TAP Opaque (removed)", "tap_opaque"),
    named(0x45, "TAP_VBUCKET_SET", "TAP vBucket Set (removed)", "tap_vbucket_set"),
    named(0x46, "TAP_CHECKPOINT_START", "TAP Checkpoint Start (removed)", "tap_checkpoint_start"),
    named(0x47, "TAP_CHECKPOINT_END", "TAP Checkpoint End (removed)", "tap_checkpoint_end"),
    request(0x48, "GET_ALL_VB_SEQNOS", "Get All vBucket Seqnos", "get_all_vb_seqnos",
            sender::client, always, {layouts::seqnos_request, {}, {}, {}}, {{}, {}, {optional,
            value_kind::list, f::seqno_entry, layouts::seqno_entries}, {}}),
    named(0x49, "GET_EX", "Get Extended", "get_ex", document_key),
    named(0x4a, "GET_EX_REPLICA", "Get Extended from Replica", "get_ex_replica", document_key),
    named(0x4b, "GET_EX_RANDOM", "Get Extended Random", "get_ex_random", maybe_document_key),

    request(0x50, "DCP_OPEN", "Open", "open", sender::any, always, {layouts::open, {mandatory,
            f::open_name, false}, {optional, value_kind::json, f::open_value}, {}}, plain),
    of_stream(request(0x51, "DCP_ADD_STREAM", "Add Stream", "add_stream", sender::manager, always,
              {layouts::stream_flags, {}, {}, {}}, {layouts::add_stream_response, {}, {}, {}})),
    with_stream_id(of_stream(request(0x52, "DCP_CLOSE_STREAM", "Close Stream", "close_stream",
                   sender::consumer_or_manager, always, plain, plain))),
    of_stream(request(0x53, "DCP_STREAM_REQ", "Stream Request", "stream_request", sender::consumer,
              always, {layouts::stream_request, {}, {optional, value_kind::stream_filter,
              f::stream_filter}, {}}, {{}, {}, {mandatory, value_kind::list, f::failover_entry,
              layouts::failover_entries}, layouts::stream_request_answers})),
    of_stream(request(0x54, "DCP_GET_FAILOVER_LOG", "Get Failover Log", "failover_log",
              sender::consumer, always, plain, {{}, {}, {optional, value_kind::list,
              f::failover_entry, layouts::failover_entries}, {}})),
    stream_message(0x55, "DCP_STREAM_END", "Stream End", "stream_end", {layouts::stream_end, {},
                   {}, {}}),
    stream_message(0x56, "DCP_SNAPSHOT_MARKER", "Snapshot Marker", "snapshot_marker",
                   {layouts::marker, {}, {optional, value_kind::fixed, f::value,
                   layouts::marker_values}, {}}),
    item(stream_message(0x57, "DCP_MUTATION", "Mutation", "mutation", {layouts::mutation,
         document_key, document, {}})),
    item(stream_message(0x58, "DCP_DELETION", "Deletion", "deletion", {layouts::deletion,
         document_key, document, {}})),
    item(stream_message(0x59, "DCP_EXPIRATION", "Expiration", "expiration", {layouts::expiration,
         document_key, document, {}})),
    of_stream(request(0x5a, "DCP_FLUSH", "Flush", "flush", sender::producer, on_error, plain,
              plain)),
    takeover(request(0x5b, "DCP_SET_VBUCKET_STATE", "Set vBucket State", "set_vbucket_state",
             sender::producer, always, {layouts::vbucket_state, {}, {}, {}}, plain)),
    request(0x5c, "DCP_NOOP", "No-op", "noop", sender::producer, always, plain, plain),
    request(0x5d, "DCP_BUFFER_ACK", "Buffer Acknowledgement", "buffer_ack", sender::consumer,
            never_answered, {layouts::buffer_ack, {}, {}, {}}, plain),
    request(0x5e, "DCP_CONTROL", "Control", "control", sender::consumer, always, {{}, {mandatory,
            f::control_key, false}, {optional, value_kind::text, f::control_value}, {}}, plain),
    stream_message(0x5f, "DCP_SYSTEM_EVENT", "System Event", "system_event",
                   {layouts::system_event, {optional, f::collection_name, false}, {mandatory,
                   value_kind::system_event, f::value}, {}}),
    prepare(stream_message(0x60, "DCP_PREPARE", "Prepare", "prepare", {layouts::prepare,
            document_key, document, {}})),
    of_stream(request(0x61, "DCP_SEQNO_ACKNOWLEDGED", "Seqno Acknowledged", "seqno_acknowledged",
              sender::consumer, on_error, {layouts::seqno_acknowledged, {}, {}, {}}, plain)),
    outcome(stream_message(0x62, "DCP_COMMIT", "Commit", "commit", {layouts::commit, document_key,
            {}, {}})),
    outcome(stream_message(0x63, "DCP_ABORT", "Abort", "abort", {layouts::abort, document_key, {},
            {}})),
    stream_message(0x64, "DCP_SEQNO_ADVANCED", "Seqno Advanced", "seqno_advanced",
                   {layouts::seqno_advanced, {}, {}, {}}),
    stream_message(0x65, "DCP_OSO_SNAPSHOT", "OSO Snapshot", "oso_snapshot",
                   {layouts::oso_snapshot, {}, {}, {}}),
    stream_message(0x66, "DCP_CACHE_TRANSFER", "Cache Transfer", "cache_transfer", {{}, {},
                   {mandatory, value_kind::cache_transfer, f::cache_record}, {}}),
    uncounted_frame(stream_message(0x67, "DCP_CACHE_TRANSFER_END", "Cache Transfer End",
                    "cache_transfer_end", plain)),

    named(0x80, "STOP_PERSISTENCE", "Stop Persistence", "stop_persistence"),
    named(0x81, "START_PERSISTENCE", "Start Persistence", "start_persistence"),
    named(0x82, "SET_PARAM", "Set Parameter", "set_param"),
    kv(0x83, "GET_REPLICA", "Get Replica", "get_replica", always, get_request, getk_response),
    secretive(named(0x85, "CREATE_BUCKET", "Create Bucket", "create_bucket")),
    named(0x86, "DELETE_BUCKET", "Delete Bucket", "delete_bucket"),
    named(0x87, "LIST_BUCKETS", "List Buckets", "list_buckets"),
    request(0x89, "SELECT_BUCKET", "Select Bucket", "select_bucket", sender::any, always, {{},
            {optional, f::bucket, false}, {}, {}}, plain),
    named(0x8a, "PAUSE_BUCKET", "Pause Bucket", "pause_bucket"),
    named(0x8b, "RESUME_BUCKET", "Resume Bucket", "resume_bucket"),
    of_vbucket(request(0x91, "OBSERVE_SEQNO", "Observe Seqno", "observe_seqno", sender::client, always, {{},
            {}, {mandatory, value_kind::fixed, f::value, layouts::observe_request}, {}}, {{}, {},
            {mandatory, value_kind::fixed, f::value, layouts::observe_response}, {}})),
    named(0x92, "OBSERVE", "Observe", "observe"),
    named(0x93, "EVICT_KEY", "Evict Key", "evict_key", document_key),
    named(0x94, "GET_LOCKED", "Get Locked", "get_locked", document_key),
    named(0x95, "UNLOCK_KEY", "Unlock Key", "unlock_key", document_key),
    of_vbucket(request(0x96, "GET_FAILOVER_LOG", "Get Failover Log", "get_failover_log", sender::client,
            always, plain, {{}, {}, {optional, value_kind::list, f::failover_entry,
            layouts::failover_entries}, {}})),
    named(0x97, "LAST_CLOSED_CHECKPOINT", "Last Closed Checkpoint (removed)",
          "last_closed_checkpoint"),
    named(0x9e, "DEREGISTER_TAP_CLIENT", "Deregister TAP Client (removed)",
          "deregister_tap_client"),
    named(0x9f, "RESET_REPLICATION_CHAIN", "Reset Replication Chain (removed)",
          "reset_replication_chain"),
    named(0xa0, "GET_META", "Get Meta", "get_meta", document_key),
    named(0xa1, "GETQ_META", "Get Meta Quietly", "getq_meta", document_key),
    named(0xa2, "SET_WITH_META", "Set with Meta", "set_with_meta", document_key),
    named(0xa3, "SETQ_WITH_META", "Set with Meta Quietly", "setq_with_meta", document_key),
    named(0xa4, "ADD_WITH_META", "Add with Meta", "add_with_meta", document_key),
    named(0xa5, "ADDQ_WITH_META", "Add with Meta Quietly", "addq_with_meta", document_key),
    named(0xa6, "SNAPSHOT_VB_STATES", "Snapshot vBucket States (removed)", "snapshot_vb_states"),
    named(0xa7, "VBUCKET_BATCH_COUNT", "vBucket Batch Count (removed)", "vbucket_batch_count"),
    named(0xa8, "DEL_WITH_META", "Delete with Meta", "del_with_meta", document_key),
    named(0xa9, "DELQ_WITH_META", "Delete with Meta Quietly", "delq_with_meta", document_key),
    named(0xaa, "CREATE_CHECKPOINT", "Create Checkpoint (removed)", "create_checkpoint"),
    named(0xac, "NOTIFY_VBUCKET_UPDATE", "Notify vBucket Update (removed)",
          "notify_vbucket_update"),
    named(0xad, "ENABLE_TRAFFIC", "Enable Traffic", "enable_traffic"),
    named(0xae, "DISABLE_TRAFFIC", "Disable Traffic", "disable_traffic"),
    named(0xaf, "IFCONFIG", "Interface Configuration", "ifconfig"),
    named(0xb0, "CHANGE_VB_FILTER", "Change vBucket Filter (removed)", "change_vb_filter"),
    named(0xb1, "CHECKPOINT_PERSISTENCE", "Checkpoint Persistence (removed)",
          "checkpoint_persistence"),
    named(0xb2, "RETURN_META", "Return Meta", "return_meta", document_key),
    named(0xb3, "COMPACT_DB", "Compact Database", "compact_db"),
    named(0xb4, "SET_CLUSTER_CONFIG", "Set Cluster Config", "set_cluster_config"),
    request(0xb5, "GET_CLUSTER_CONFIG", "Get Cluster Config", "get_cluster_config", sender::client,
            always, {layouts::cluster_config_request, {}, {}, {}}, {{}, {}, any_json, {}}),
    named(0xb6, "GET_RANDOM_KEY", "Get Random Key", "get_random_key"),
    of_vbucket(request(0xb7, "SEQNO_PERSISTENCE", "Seqno Persistence", "seqno_persistence", sender::client,
            always, {layouts::seqno_persistence, {}, {}, {}}, plain)),
    named(0xb8, "GET_KEYS", "Get Keys", "get_keys"),
    named(0xb9, "COLLECTIONS_SET_MANIFEST", "Collections Set Manifest", "collections_set_manifest"),
    request(0xba, "COLLECTIONS_GET_MANIFEST", "Collections Get Manifest",
            "collections_get_manifest", sender::client, always, plain, {{}, {}, any_json, {}}),
    request(0xbb, "COLLECTIONS_GET_ID", "Collections Get Id", "collections_get_id", sender::client,
            always, {{}, {optional, f::collection_path, false}, {optional, value_kind::text,
            f::collection_path}, {}}, {layouts::collection_id_response, {}, {}, {}}),
    request(0xbc, "COLLECTIONS_GET_SCOPE_ID", "Collections Get Scope Id",
            "collections_get_scope_id", sender::client, always, {{}, {optional, f::collection_path,
            false}, {optional, value_kind::text, f::collection_path}, {}},
            {layouts::scope_id_response, {}, {}, {}}),
    named(0xc1, "SET_DRIFT_COUNTER_STATE", "Set Drift Counter State (removed)",
          "set_drift_counter_state"),
    named(0xc2, "GET_ADJUSTED_TIME", "Get Adjusted Time (removed)", "get_adjusted_time"),
    named(0xc5, "SUBDOC_GET", "Sub-document Get", "subdoc_get", document_key),
    named(0xc6, "SUBDOC_EXISTS", "Sub-document Exists", "subdoc_exists", document_key),
    named(0xc7, "SUBDOC_DICT_ADD", "Sub-document Dictionary Add", "subdoc_dict_add", document_key),
    named(0xc8, "SUBDOC_DICT_UPSERT", "Sub-document Dictionary Upsert", "subdoc_dict_upsert",
          document_key),
    named(0xc9, "SUBDOC_DELETE", "Sub-document Delete", "subdoc_delete", document_key),
    named(0xca, "SUBDOC_REPLACE", "Sub-document Replace", "subdoc_replace", document_key),
    named(0xcb, "SUBDOC_ARRAY_PUSH_LAST", "Sub-document Array Push Last", "subdoc_array_push_last",
          document_key),
    named(0xcc, "SUBDOC_ARRAY_PUSH_FIRST", "Sub-document Array Push First",
          "subdoc_array_push_first", document_key),
    named(0xcd, "SUBDOC_ARRAY_INSERT", "Sub-document Array Insert", "subdoc_array_insert",
          document_key),
    named(0xce, "SUBDOC_ARRAY_ADD_UNIQUE", "Sub-document Array Add Unique",
          "subdoc_array_add_unique", document_key),
    named(0xcf, "SUBDOC_COUNTER", "Sub-document Counter", "subdoc_counter", document_key),
    named(0xd0, "SUBDOC_MULTI_LOOKUP", "Sub-document Multi Lookup", "subdoc_multi_lookup",
          document_key),
    named(0xd1, "SUBDOC_MULTI_MUTATION", "Sub-document Multi Mutation", "subdoc_multi_mutation",
          document_key),
    named(0xd2, "SUBDOC_GET_COUNT", "Sub-document Get Count", "subdoc_get_count", document_key),
    named(0xd3, "SUBDOC_REPLACE_BODY_WITH_XATTR", "Sub-document Replace Body with Attribute",
          "subdoc_replace_body_with_xattr", document_key),
    named(0xda, "RANGE_SCAN_CREATE", "Range Scan Create", "range_scan_create"),
    named(0xdb, "RANGE_SCAN_CONTINUE", "Range Scan Continue", "range_scan_continue"),
    named(0xdc, "RANGE_SCAN_CANCEL", "Range Scan Cancel", "range_scan_cancel"),
    named(0xf0, "SCRUB", "Scrub", "scrub"),
    named(0xf1, "ISASL_REFRESH", "ISASL Refresh", "isasl_refresh"),
    named(0xf2, "SSL_CERTS_REFRESH", "SSL Certificates Refresh", "ssl_certs_refresh"),
    named(0xf3, "GET_CMD_TIMER", "Get Command Timer", "get_cmd_timer"),
    named(0xf4, "SET_CTRL_TOKEN", "Set Control Token", "set_ctrl_token"),
    named(0xf5, "GET_CTRL_TOKEN", "Get Control Token", "get_ctrl_token"),
    named(0xf6, "UPDATE_EXTERNAL_USER_PERMISSIONS", "Update External User Permissions",
          "update_external_user_permissions"),
    named(0xf7, "RBAC_REFRESH", "RBAC Refresh", "rbac_refresh"),
    named(0xf8, "AUTH_PROVIDER", "Auth Provider", "auth_provider"),
    named(0xfb, "DROP_PRIVILEGE", "Drop Privilege", "drop_privilege"),
    named(0xfc, "ADJUST_TIMEOFDAY", "Adjust Time of Day", "adjust_timeofday"),
    named(0xfd, "EWOULDBLOCK_CTL", "Ewouldblock Control", "ewouldblock_ctl"),
    request(0xfe, "GET_ERROR_MAP", "Get Error Map", "get_error_map", sender::client, always, {{},
            {}, {mandatory, value_kind::fixed, f::value, layouts::error_map_request}, {}}, {{}, {},
            any_json, {}}),
};
// clang-format on

constexpr message_rule push_answer{{}, {optional, f::key, false}, raw_value, {}};
constexpr opcode_row push(std::uint8_t opcode, std::string_view name, std::string_view title,
                          message_rule req) {
    return {.opcode = opcode,
            .name = name,
            .title = title,
            .event = "server_push",
            .from = sender::server,
            .answered = answer::on_error,
            .described = true,
            .request = req,
            .response = push_answer};
}

constexpr opcode_row push_rows[] = {
    push(0x01, "CLUSTERMAP_CHANGE_NOTIFICATION", "Cluster Map Change Notification",
         {layouts::map_notification, {optional, f::bucket, false}, any_json, {}}),
    push(0x02, "AUTHENTICATE", "Authenticate",
         {{}, {optional, f::key, false}, {optional, value_kind::secret, f::value}, {}}),
    push(0x03, "ACTIVE_EXTERNAL_USERS", "Active External Users",
         {{}, {optional, f::key, false}, any_json, {}}),
    push(0x04, "GET_AUTHORIZATION", "Get Authorization",
         {{}, {optional, f::key, false}, any_json, {}}),
};

constexpr value_rule error_value{optional, value_kind::error, f::error_text};

// Opcode to row + 1.
template <std::size_t N>
constexpr std::array<std::uint8_t, 256> index_rows(const opcode_row (&rows)[N]) {
    static_assert(N < 256);
    std::array<std::uint8_t, 256> index{};
    for (std::size_t i = 0; i < N; ++i) index[rows[i].opcode] = static_cast<std::uint8_t>(i + 1);
    return index;
}
constexpr std::array<std::uint8_t, 256> client_index = index_rows(client_rows);
constexpr std::array<std::uint8_t, 256> push_index = index_rows(push_rows);

}  // namespace

const opcode_row* find_opcode(magic m, std::uint8_t opcode) noexcept {
    const std::uint8_t at = is_push(m) ? push_index[opcode] : client_index[opcode];
    if (at == 0) return nullptr;
    return is_push(m) ? &push_rows[at - 1] : &client_rows[at - 1];
}

std::span<const opcode_row> client_opcodes() noexcept {
    return client_rows;
}
std::span<const opcode_row> push_opcodes() noexcept {
    return push_rows;
}

const value_rule& value_rule_of(const opcode_row& row, const header& h) noexcept {
    if (!h.is_response()) return row.request.value;
    for (const status_value& special : row.response.by_status) {
        if (special.status == h.status()) return special.value;
    }
    return carries_result(h.status()) ? row.response.value : error_value;
}

}  // namespace cdcscope::dcp
