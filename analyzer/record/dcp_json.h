// A DCP or key-value message as JSON. Names come from the field table, places from the layout
// table.
#pragma once

#include <span>
#include <string>

#include "analyzer/record/options.h"
#include "analyzer/record/wire_json.h"
#include "analyzer/recover/message.h"
#include "proto/dcp/decode.h"
#include "proto/dcp/document.h"
#include "proto/dcp/json_members.h"
#include "proto/json/json_writer.h"

namespace cdcscope::record {

// A SASL message that is not as its layout says: what is secret may stand anywhere behind its
// header.
[[nodiscard]] bool holds_stray_secret(const dcp::message_view& view) noexcept;

class dcp_json {
  public:
    dcp_json(const options& chosen, std::span<const std::string> files);

    // One JSON object without line feed; valid until the next call. `view` is m.bytes decoded in
    // track.context; `raw` is added as Base64 if it is not empty.
    std::string_view write(const recover::message& m, const dcp::message_view& view,
                           const dcp::track_record& track, const dcp::connection_names& names,
                           byte_view raw);

  private:
    void write_head(const dcp::message_view& view, const dcp::track_record& track,
                    const dcp::connection_names& names);
    void write_event(const dcp::message_view& view);
    void write_partition(const dcp::message_view& view, const dcp::track_record& track);
    void write_framing(const dcp::message_view& view);
    void write_frame(const dcp::message_view& view, const dcp::frame_view& frame);
    void write_key(const dcp::message_view& view, const dcp::connection_names& names);
    void write_document_key(const dcp::key_view& key, const dcp::connection_names* names);
    void write_extras(const dcp::message_view& view);
    void write_worked_out(const dcp::message_view& view, const dcp::track_record& track);

    void write_value(const dcp::message_view& view, const dcp::connection_names& names);
    void write_cut_value(const dcp::message_view& view);
    void write_document(byte_view value, std::uint8_t datatype, std::uint16_t nmeta);
    void write_xattrs(byte_view pairs);
    void write_xattr(const dcp::xattr_view& pair);
    void write_metadata(byte_view metadata);
    void write_list(const dcp::message_view& view);
    void write_event_table(const dcp::message_view& view);
    void write_event_names(const dcp::message_view& view, const dcp::connection_names& names);
    void write_cache_records(const dcp::message_view& view);
    void write_json_value(std::string_view name, byte_view value, std::uint8_t datatype);
    void write_error(const dcp::message_view& view);
    void write_meaning(const dcp::message_view& view);
    void write_members(dcp::field_id of, byte_view json);
    void write_secret(byte_view value);

    void write_fields(const dcp::layout& l, byte_view run);
    void write_plain(const dcp::field& f, std::uint64_t value);
    void write_number(const dcp::field& f, std::uint64_t value);
    void write_name(const dcp::field& f, std::uint64_t value);
    void write_hex(std::string_view name, std::string_view prefix, std::uint64_t value);
    void write_text(const dcp::field& f, byte_view text);
    void write_datatype(std::uint8_t datatype);
    void write_bits(std::string_view name, dcp::field_id id, std::uint64_t value);
    void write_hex_twin(std::string_view name, std::uint64_t value);
    void write_redacted(std::string_view name, std::size_t size);
    [[nodiscard]] bool hides_keys() const {
        return options_.redact == redact_mode::keys || options_.redact == redact_mode::all;
    }
    [[nodiscard]] bool hides_values() const {
        return options_.redact == redact_mode::values || options_.redact == redact_mode::all;
    }
    // Appends `value` as JSON; false (and nothing written) if it is none.
    bool json_into_scratch(byte_view value);

    options options_;
    json_writer out_;
    wire_json wire_;
    dcp::inflate_buffer inflated_;
    dcp::member_list members_;
    std::string scratch_;
    dcp::fault value_problem_ = dcp::fault::none;
    bool partition_written_ = false;
};

}  // namespace cdcscope::record
