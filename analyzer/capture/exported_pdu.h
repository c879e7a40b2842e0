// Exported PDUs (link type 252): messages that Wireshark took out of a connection, often a
// decrypted one.
#pragma once

#include <string_view>

#include "analyzer/capture/packet.h"
#include "analyzer/capture/segment.h"

namespace cdcscope::capture {

// One record. It begins at a message; a message that it cuts at its end comes again, whole, as the
// next record.
struct exported_pdu {
    std::string_view
        dissector;  // "couchbase", "cbkv", "canal" ...; empty if the record does not say
    endpoint source;
    endpoint destination;
    bool over_tcp = false;             // its port type
    std::uint32_t original_frame = 0;  // in the capture it was exported from; 0: not said
    std::uint32_t wire_length = 0;     // of the bytes; bytes.size() is what was captured
    byte_view bytes;                   // valid during the call, like dissector
    frame_ref at;
};

class exported_pdu_sink {
  public:
    exported_pdu_sink() = default;
    exported_pdu_sink(const exported_pdu_sink&) = delete;
    exported_pdu_sink& operator=(const exported_pdu_sink&) = delete;
    virtual ~exported_pdu_sink() = default;
    virtual void on_exported_pdu(const exported_pdu& pdu) = 0;
};

// False if the tags are broken or have no end within the captured bytes.
[[nodiscard]] bool parse_exported_pdu(const packet& record, exported_pdu& out) noexcept;

}  // namespace cdcscope::capture
