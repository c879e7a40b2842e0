// What decoding and showing one DCP message needs to know of its connection, and what feeding it to
// the state machine gives back.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace cdcscope::dcp {

enum class collection_keys : std::uint8_t { off, on };

// In force when the message was sent (HELLO, controls), or judged by evidence when the capture
// starts late.
struct decode_context {
    collection_keys collections = collection_keys::off;
    bool collections_judged = false;  // not negotiated in the capture: judged by the keys
    bool stream_ids = false;          // enable_stream_id accepted: D49 is possible
};

enum class link_kind : std::uint8_t { request, prepare, acknowledgement };

// What the state machine says of one message. Trivially copyable and small: the plugin keeps one a
// message. Message ids are those given to feed(); 0 is none.
struct track_record {
    decode_context context;
    bool has_partition = false;  // `partition` is known (responses: the request's vbucket)
    bool flow_known = false;     // `outstanding` is meaningful (flow control on)
    std::uint16_t partition = 0;
    std::uint32_t request = 0;       // response: the message it answers
    std::uint32_t prepare = 0;       // commit, abort (or completing mutation): its prepare
    std::uint32_t stream = 0;        // index of the stream on this connection, from 1
    std::uint32_t snapshot = 0;      // index of the snapshot in that stream, from 1
    std::uint32_t outstanding = 0;   // unacknowledged bytes after this message
    std::uint32_t window = 0;        // connection_buffer_size in force
    std::uint64_t vbucket_uuid = 0;  // newest entry of the stream's failover log; 0: not seen
    std::int64_t elapsed_ns = -1;    // since the request, or since the prepare; -1: unknown
    std::uint32_t opened_by = 0;     // message of a stream: its STREAM_REQ
    std::uint32_t marker = 0;        // item: the snapshot marker before it
    std::uint64_t snapshot_end = 0;  // end seqno of that marker
};
static_assert(std::is_trivially_copyable_v<track_record> && sizeof(track_record) <= 64);

// Names learned on a connection as they are known now; who feeds the state machine can ask after
// each message. Empty: not seen. Views live until the next message is fed.
class connection_names {
  public:
    struct collection_name {
        std::string_view scope, collection;
    };

    connection_names() = default;
    connection_names(const connection_names&) = delete;
    connection_names& operator=(const connection_names&) = delete;
    virtual ~connection_names() = default;

    [[nodiscard]] virtual std::string_view bucket() const noexcept = 0;           // SELECT_BUCKET
    [[nodiscard]] virtual std::string_view connection_name() const noexcept = 0;  // DCP_OPEN
    [[nodiscard]] virtual collection_name collection(std::uint32_t id) const noexcept = 0;
    [[nodiscard]] virtual std::string_view scope(std::uint32_t id) const noexcept = 0;
};

}  // namespace cdcscope::dcp
