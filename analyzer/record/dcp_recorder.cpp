// Keys are made once and looked up by number; a message in the common case allocates nothing.
#include "analyzer/record/dcp_recorder.h"

#include <algorithm>
#include <cstdio>

#include "analyzer/record/stream_key.h"

namespace cdcscope::record {

using namespace dcp;

namespace {

constexpr std::int32_t no_vbucket = -1;

void blank(std::vector<std::uint8_t>& bytes, std::size_t at, std::size_t size) {
    const std::size_t from = std::min(at, bytes.size());
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                std::min(size, bytes.size() - from), std::uint8_t{'*'});
}

bool holds_document(const message_view& view) {
    return view.kind() == value_kind::document || view.kind() == value_kind::raw ||
           view.kind() == value_kind::cache_transfer;
}

// vbucket of the message, or of the request that it answers; -1: none.
std::int32_t vbucket_of(const message_view& view, const track_record& track) {
    if (view.row == nullptr || !view.row->of_stream) return no_vbucket;
    if (!view.head.is_response()) return view.head.vbucket();
    return track.has_partition ? track.partition : no_vbucket;
}

}  // namespace

dcp_recorder::dcp_recorder(const options& chosen, std::span<const std::string> files)
    : options_(chosen), json_(chosen, files) {}

std::optional<entry> dcp_recorder::record(const recover::message& m, const track_record& track,
                                          const connection_names& names) {
    const message_view view = decode(m.bytes, track.context);
    if (options_.streams == layout::changes) {
        const bool changes = view.row != nullptr && view.row->data_change && view.is_request();
        if (!changes) return std::nullopt;
    }
    entry out;
    out.key = key_of(m, view, track, names);
    out.time_ns = m.frames.done.time_ns;
    out.is_json = options_.payload != payload_mode::raw;
    const byte_view raw = options_.payload == payload_mode::json ? byte_view{} : raw_bytes(m, view);
    out.payload = out.is_json ? as_bytes(json_.write(m, view, track, names, raw)) : raw;
    return out;
}

std::string_view dcp_recorder::key_of(const recover::message& m, const message_view& view,
                                      const track_record& track, const connection_names& names) {
    switch (options_.streams) {
        case layout::changes:
            return changes_key(m, view, names);
        case layout::vbucket:
            return connection_key(m, vbucket_of(view, track));
        case layout::connection:
            break;
    }
    return connection_key(m, no_vbucket);
}

std::string_view dcp_recorder::connection_key(const recover::message& m, std::int32_t vbucket) {
    const bool raw = options_.payload == payload_mode::raw;
    const std::uint64_t side = raw ? index(m.dir) + 1 : 0;
    const std::uint64_t place =
        std::uint64_t{m.connection} << 32 | static_cast<std::uint64_t>(vbucket + 1) << 4 | side;
    const auto known = by_place_.find(place);
    if (known != by_place_.end()) return streams_[known->second].key;
    std::string part = connection_part(m.connection);
    std::string key = "dcp." + part;
    if (vbucket != no_vbucket) {
        char text[16];
        std::snprintf(text, sizeof text, ".vb%04d", static_cast<int>(vbucket));
        key += text;
    }
    if (raw) key.append(".").append(name(m.dir));
    const std::uint32_t stream =
        stream_for(std::move(key), vbucket == no_vbucket ? "dcp" : "dcp.vbucket", m.connection,
                   std::move(part));
    by_place_.emplace(place, stream);
    return streams_[stream].key;
}

// couchbase.bucket.scope.collection; what is not known of it yet may become known later, then the
// key changes.
std::string_view dcp_recorder::changes_key(const recover::message& m, const message_view& view,
                                           const connection_names& names) {
    const std::uint64_t place = std::uint64_t{m.connection} << 33 |
                                std::uint64_t{view.key.collection} << 1 |
                                (view.key.prefixed ? 1U : 0U);
    const std::string_view bucket = names.bucket();
    const connection_names::collection_name known = view.key.prefixed
                                                        ? names.collection(view.key.collection)
                                                        : connection_names::collection_name{};
    const auto found = by_collection_.find(place);
    if (found != by_collection_.end() && found->second.bucket == bucket &&
        found->second.scope == known.scope && found->second.collection == known.collection) {
        return streams_[found->second.stream].key;
    }
    std::string bucket_part = bucket.empty() ? connection_part(m.connection) : std::string(bucket);
    std::string collection(known.collection);
    if (view.key.prefixed && collection.empty())
        collection = "cid-" + std::to_string(view.key.collection);
    std::string full = bucket_part;
    for (const std::string_view part : {known.scope, std::string_view(collection)}) {
        if (!part.empty()) full.append(".").append(part);
    }
    std::string key =
        known.scope.empty() && collection.empty() ? stream_key("couchbase", {bucket_part})
        : known.scope.empty() ? stream_key("couchbase", {bucket_part, collection})
                              : stream_key("couchbase", {bucket_part, known.scope, collection});
    if (options_.payload == payload_mode::raw) key.append(".").append(name(m.dir));
    const std::uint32_t stream =
        stream_for(std::move(key), "dcp.changes", m.connection, std::move(full));
    by_collection_[place] = {std::string(bucket), std::string(known.scope),
                             std::string(known.collection), stream};
    return streams_[stream].key;
}

std::uint32_t dcp_recorder::stream_for(std::string key, std::string_view kind,
                                       std::uint32_t connection, std::string name) {
    const auto [at, fresh] = by_key_.try_emplace(key, static_cast<std::uint32_t>(streams_.size()));
    if (fresh) streams_.push_back({std::move(key), std::string(kind), connection, std::move(name)});
    return at->second;
}

byte_view dcp_recorder::raw_bytes(const recover::message& m, const message_view& view) {
    const bool stray = !options_.keep_secrets && holds_stray_secret(view);
    const bool secret = view.kind() == value_kind::secret && !options_.keep_secrets;
    const bool hide_keys =
        options_.redact == redact_mode::keys || options_.redact == redact_mode::all;
    const bool hide_values =
        options_.redact == redact_mode::values || options_.redact == redact_mode::all;
    if (!stray && !secret && !hide_keys && !hide_values) return m.bytes;
    blanked_.assign(m.bytes.begin(), m.bytes.end());
    if (stray) {
        const std::size_t head = std::min(m.bytes.size(), header_size);
        blank(blanked_, head, m.bytes.size() - head);
        return blanked_;
    }
    if (secret || (hide_values && holds_document(view)))
        blank(blanked_, view.parts.value_at, view.parts.value.size());
    const bool document_key = view.row == nullptr ||
                              rule_of(*view.row, view.head).key.collection_prefix ||
                              rule_of(*view.row, view.head).key.field == field_id::key;
    if (hide_keys && document_key) blank(blanked_, view.key.at, view.key.bytes.size());
    if (hide_keys && view.kind() == value_kind::cache_transfer) {
        cache_record_reader records(view, {});
        cache_record_view one;
        while (records.next(one)) blank(blanked_, one.key.at, one.key.bytes.size());
    }
    return blanked_;
}

}  // namespace cdcscope::record
