// What the recovery hands on: messages, holes, ends, in causal order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/capture/segment.h"
#include "analyzer/tcp/stream_consumer.h"
#include "proto/wire/bytes.h"
#include "proto/wire/direction.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::recover {

enum class protocol : std::uint8_t {
    unknown,  // nothing seen yet that tells
    dcp,      // Couchbase key-value or DCP
    canal,
    canal_admin,
    tls,
    other,  // neither: all its bytes are unparsed
};

// What is known of a connection that carries none of our protocols.
struct foreign_signs {
    std::string_view name;      // "MySQL", "TLS" ...; empty: nothing
    std::string version;        // MySQL: that of the server's greeting; TLS: "1.3"
    bool only_offered = false;  // TLS: by the client; the server's choice was not seen
};

struct connection_info {
    std::uint32_t id = 0;      // from 1, by first packet
    capture::endpoint client;  // who sent the SYN; else who does not hold a well-known port
    capture::endpoint server;
    protocol carries = protocol::unknown;
    protocol promised = protocol::unknown;         // by the server's port
    bool from_start[2] = {false, false};           // by direction: its SYN was captured
    frame_ref first;                               // first packet
    std::shared_ptr<const foreign_signs> foreign;  // carries tls or other: null if nothing is known
};

struct message {
    std::uint32_t connection = 0;
    direction dir = direction::c2s;
    protocol carries = protocol::unknown;
    bool cut = false;        // header, extras and key are here, the value is not whole (DCP only)
    bool after_gap = false;  // first message behind a hole of its direction
    std::uint64_t gap_bytes = 0;    // size of that hole
    std::uint64_t offset = 0;       // of its first byte in its direction's stream
    std::uint64_t wire_length = 0;  // on the wire (canal: the 4 length bytes too)
    std::uint64_t captured = 0;     // == wire_length unless cut: bytes of it that the capture holds
    byte_view
        bytes;  // from its first byte; cut: up to the first missing one. Valid during the call
    frame_span frames;
    std::int64_t first_ns = 0;       // time of the packet that brought its first byte
    std::int64_t acknowledges = -1;  // how much of the other direction's stream its sender had when
                                     // it sent the last byte; -1: not known
};

enum class unparsed_kind : std::uint8_t {
    skipped,         // on the way to the next message, behind a hole or at a start in mid-stream
    piece,           // of a message that a hole or the snap length cut
    incomplete,      // the stream ends inside a message, with no hole in it
    bad_length,      // a length that no message has, where a message should begin (C15 and
                     // C20)
    other_protocol,  // neither DCP nor canal, or encrypted
};

struct unparsed_run {
    std::uint32_t connection = 0;
    direction dir = direction::c2s;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    frame_span frames;
    unparsed_kind kind = unparsed_kind::skipped;
    std::uint32_t claimed_length = 0;  // bad_length: the length field (canal)
    byte_view head;  // its first bytes, 16 at most; bad_length: those behind the length field.
                     // Valid during the call
};

using tcp::gap_reason;

struct gap {
    std::uint32_t connection = 0;
    direction dir = direction::c2s;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    gap_reason reason = gap_reason::not_acked;
    bool inside_value = false;  // lies in the value of one cut message: hides no message
    frame_ref at;               // first frame behind it
};

using tcp::end_kind;

// Figures of one direction; message_bytes + gap_bytes + unparsed_bytes = stream_bytes once it is
// closed.
struct direction_totals {
    std::uint64_t stream_bytes = 0, message_bytes = 0, gap_bytes = 0, unparsed_bytes = 0;
    std::uint64_t messages = 0;  // whole ones
    std::uint64_t gaps = 0, unparsed = 0, cut_messages = 0;
    std::uint64_t duplicate_bytes = 0, conflict_bytes = 0;
    std::uint64_t snaplen_messages = 0;  // of the cut ones: by the snap length
    std::uint64_t segments = 0;          // packets, empty ones too; of exported PDUs: messages
};

// Calls come in causal order within a connection, in order of completion between connections.
class handler {
  public:
    handler() = default;
    handler(const handler&) = delete;
    handler& operator=(const handler&) = delete;
    virtual ~handler() = default;

    // Before anything else of this connection. Its protocol may still be unknown, and whether the
    // other direction's SYN is in the capture, and the version of what is foreign: on_protocol
    // tells what has become known since.
    virtual void on_connection(const connection_info& c) = 0;
    virtual void on_protocol(const connection_info& c) = 0;
    // At once when its first segment comes, before on_connection: a connection on a port of ours
    // whose beginning is not here, so the capture lacks packets before.
    virtual void on_late_start(protocol /*promised*/, const frame_ref& /*at*/) {}
    virtual void on_message(const message& m) = 0;
    virtual void on_gap(const gap& g) = 0;
    virtual void on_unparsed(const unparsed_run& u) = 0;
    // What `dir` sent from `offset` on was acknowledged and will not come any more. Where the hole
    // ends is not known yet: on_gap tells, behind what the other side says meanwhile.
    virtual void on_missing(std::uint32_t /*connection*/, direction /*dir*/,
                            std::uint64_t /*offset*/) {}
    // From now on (or no longer) something is waited for that may still come: what this connection
    // said meanwhile is told later than what others say.
    virtual void on_behind(std::uint32_t /*connection*/, bool /*behind*/) {}
    // The same of a connection of which nothing was told yet, not even that it is there.
    virtual void on_unheard(protocol /*promised*/, bool /*is*/) {}
    // FIN or RST sent by `dir`, at its place in the order.
    virtual void on_end(std::uint32_t connection, direction dir, end_kind how,
                        const frame_ref& at) = 0;
    // Its figures, just before on_closed.
    virtual void on_totals(std::uint32_t /*connection*/, const direction_totals& /*c2s*/,
                           const direction_totals& /*s2c*/) {}
    // Nothing more will come of it: its figures are final.
    virtual void on_closed(std::uint32_t connection, end_kind how, const frame_ref& at) = 0;
};

}  // namespace cdcscope::recover
