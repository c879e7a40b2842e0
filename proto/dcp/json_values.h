// JSON that changes what is known of a connection: stream filters, collection manifests, the value
// of DCP_OPEN. Parsed event by event; anything unknown is skipped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proto/wire/bytes.h"

namespace cdcscope::dcp {

// Value of a STREAM_REQ.
struct stream_filter {
    bool valid = true;                       // one JSON object (or nothing at all)
    std::optional<std::uint16_t> stream_id;  // "sid"
    std::string uid;                         // manifest uid, base 16
    std::string scope;                       // base 16
    std::vector<std::uint32_t> collections;  // base 16 on the wire; in order of the request
    std::string purge_seqno;                 // base 10
};
[[nodiscard]] stream_filter parse_stream_filter(byte_view value);

// Calls back for each collection of a manifest: scope id and name, collection id and name. False if
// it is no manifest; then it may have called back already.
struct manifest_entry {
    std::uint32_t scope_id = 0, collection_id = 0;
    std::string_view scope, collection;
    bool has_collection = true;  // false: a scope without collections
};
bool read_manifest(byte_view value,
                   const std::function<void(const manifest_entry&)>& on_collection);

// "consumer_name" in the value of DCP_OPEN; empty if there is none.
[[nodiscard]] std::string open_consumer_name(byte_view value);

// Whether the bytes begin like JSON: the check of rule D43, cheap on purpose.
[[nodiscard]] bool looks_like_json(byte_view body) noexcept;

}  // namespace cdcscope::dcp
