// A stream of DCP messages: framing, decoding in every context, values, and the JSON that is made
// of them, which must be valid.
#include <cstdlib>

#include "analyzer/record/dcp_recorder.h"
#include "proto/dcp/json_values.h"
#include "proto/json/json_document.h"

namespace {

using namespace cdcscope;

class no_names : public dcp::connection_names {
  public:
    [[nodiscard]] std::string_view bucket() const noexcept override { return "b"; }
    [[nodiscard]] std::string_view connection_name() const noexcept override { return {}; }
    [[nodiscard]] collection_name collection(std::uint32_t id) const noexcept override {
        return id % 2 == 0 ? collection_name{"s", "c"} : collection_name{};
    }
    [[nodiscard]] std::string_view scope(std::uint32_t) const noexcept override { return {}; }
};

void require(bool holds) {
    if (!holds) std::abort();
}

void one_message(record::dcp_recorder& recorder, byte_view bytes, std::uint64_t whole,
                 const dcp::track_record& track) {
    recover::message m;
    m.connection = 1;
    m.bytes = bytes;
    m.captured = bytes.size();
    m.wire_length = whole;
    m.cut = bytes.size() < whole;
    const no_names names;
    const std::optional<record::entry> made = recorder.record(m, track, names);
    require(made.has_value());
    std::string compact;
    require(append_compact_json(compact, made->payload));
    const dcp::message_view view = dcp::decode(bytes, track.context);
    require(view.parts.value_at + view.parts.value.size() <= bytes.size());
    for (std::size_t i = 0; i < dcp::field_count; ++i) {
        const auto found = view.find(static_cast<dcp::field_id>(i));
        require(!found || found->at + found->size <= bytes.size());
    }
    if (view.row != nullptr) (void)dcp::flow_bytes(view.head, *view.row);
    (void)dcp::is_candidate(bytes);
    (void)dcp::parse_stream_filter(view.parts.value);
    (void)dcp::read_manifest(view.parts.value, [](const dcp::manifest_entry&) {});
    (void)dcp::open_consumer_name(view.parts.value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    byte_view rest(data, size);
    if (rest.empty()) return 0;
    record::options options;
    options.payload = (rest[0] & 1U) != 0 ? record::payload_mode::both : record::payload_mode::json;
    options.redact = static_cast<record::redact_mode>(rest[0] >> 1 & 3U);
    options.keep_secrets = (rest[0] & 8U) != 0;
    options.streams = (rest[0] & 64U) != 0 ? record::layout::vbucket : record::layout::connection;
    dcp::track_record track;
    track.context.collections =
        (rest[0] & 16U) != 0 ? dcp::collection_keys::on : dcp::collection_keys::off;
    track.context.stream_ids = (rest[0] & 32U) != 0;
    rest = rest.subspan(1);
    record::dcp_recorder recorder(options);
    while (rest.size() >= dcp::header_size) {
        const dcp::header_outcome head = dcp::parse_header(rest, std::uint32_t{1} << 20);
        if (head.state != dcp::parse_state::complete) {
            rest = rest.subspan(1);
            continue;
        }
        const std::size_t here = std::min<std::uint64_t>(head.value.total_length(), rest.size());
        one_message(recorder, rest.first(here), head.value.total_length(), track);
        rest = rest.subspan(here);
    }
    return 0;
}
