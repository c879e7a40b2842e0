// A canal packet as JSON: fields by the tables of the .proto files, and what the state machine says
// of it.
#pragma once

#include <span>
#include <string>

#include "analyzer/record/canal_values.h"
#include "analyzer/record/wire_json.h"
#include "analyzer/recover/message.h"
#include "proto/canal/track.h"
#include "proto/canal/view.h"
#include "proto/canal/walk.h"

namespace cdcscope::record {

// "GET"; "TYPE_99" for a number without a name. `scratch` keeps the text of the latter.
[[nodiscard]] std::string_view packet_label(canal::port_kind port, std::int32_t type,
                                            std::string& scratch);

class canal_packet_json {
  public:
    canal_packet_json(const options& chosen, std::span<const std::string> files);

    // One JSON object without line feed; valid until the next call. `raw` is added as Base64 if
    // `with_raw`.
    std::string_view write(const recover::message& m, canal::port_kind port,
                           const canal::packet_view& packet, const canal::track_record& said,
                           byte_view raw, bool with_raw);

  private:
    void write_head(canal::port_kind port, const canal::packet_view& packet);
    void write_body(canal::port_kind port, const canal::packet_view& packet, bool malformed);
    void write_messages(const canal::packet_view& packet, bool malformed);
    void write_field(const canal::message_field& field, bool is_get);
    void write_unknown(byte_view payload, canal::port_kind port, const canal::packet_view& packet,
                       bool stray);
    void write_unknown_field(const canal::message_row& in, const canal::message_field& field,
                             bool hidden);
    void write_answers(canal::port_kind port, const canal::track_record& said);
    void write_malformed(std::string_view part, canal::fault why);

    options options_;
    json_writer out_;
    wire_json wire_;
    canal_values values_;
    std::string scratch_;
};

// The packet's bytes behind the length with secrets and what --redact hides blanked ('*' each
// byte); `out` is used if anything is.
[[nodiscard]] byte_view blanked_packet(byte_view payload, canal::port_kind port, direction dir,
                                       const options& chosen, std::vector<std::uint8_t>& out);

}  // namespace cdcscope::record
