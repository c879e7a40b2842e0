// DCP and key-value messages as records: which stream key, which payload.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/record/dcp_json.h"
#include "analyzer/record/record.h"

namespace cdcscope::record {

// A stream key in use: what the record about it in `cdcscope.capture` says. Client and server are
// those of the connection.
struct dcp_stream {
    std::string key;
    std::string kind;              // "dcp", "dcp.vbucket", "dcp.changes"
    std::uint32_t connection = 0;  // whose message came first
    std::string
        name;  // layout `changes`: bucket.scope.collection as they are; else the connection's part
};

class dcp_recorder {
  public:
    // `files`: names of the captures if there are several (wire_json). They must live as long.
    explicit dcp_recorder(const options& chosen, std::span<const std::string> files = {});

    // The record of one message, or nothing if the layout leaves it out. `track` and `names` are
    // the state machine's after it was fed this message. Views live until the next call.
    [[nodiscard]] std::optional<entry> record(const recover::message& m,
                                              const dcp::track_record& track,
                                              const dcp::connection_names& names);

    // Keys in order of their first record.
    [[nodiscard]] std::span<const dcp_stream> streams() const noexcept { return streams_; }

  private:
    struct change_key {
        std::string bucket, scope, collection;  // of which it was made
        std::uint32_t stream = 0;
    };
    std::string_view key_of(const recover::message& m, const dcp::message_view& view,
                            const dcp::track_record& track, const dcp::connection_names& names);
    std::string_view connection_key(const recover::message& m, std::int32_t vbucket);
    std::string_view changes_key(const recover::message& m, const dcp::message_view& view,
                                 const dcp::connection_names& names);
    std::uint32_t stream_for(std::string key, std::string_view kind, std::uint32_t connection,
                             std::string name);
    // The message's bytes with secrets, and what is to be redacted, as `*`.
    byte_view raw_bytes(const recover::message& m, const dcp::message_view& view);

    options options_;
    dcp_json json_;
    std::vector<dcp_stream> streams_;
    std::unordered_map<std::string, std::uint32_t> by_key_;
    std::unordered_map<std::uint64_t, std::uint32_t> by_place_;    // connection, vbucket, direction
    std::unordered_map<std::uint64_t, change_key> by_collection_;  // connection, collection
    std::vector<std::uint8_t> blanked_;
};

}  // namespace cdcscope::record
