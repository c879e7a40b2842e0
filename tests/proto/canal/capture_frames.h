// The canal frames of the project's loopback captures, by a reader of its own: classic pcap,
// Ethernet, IPv4, TCP without loss.
#pragma once

#include <string>
#include <vector>

#include "proto/wire/bytes.h"
#include "proto/wire/direction.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::canal {

struct captured_event {
    enum class what : std::uint8_t { message, bad_length, incomplete, fin, rst };
    what kind = what::message;
    std::uint32_t connection = 0;  // from 0
    direction dir = direction::c2s;
    std::uint64_t offset = 0;           // of the 4 length bytes in its direction's stream
    std::vector<std::uint8_t> payload;  // behind the length; bad_length, incomplete: length first
    frame_span frames;
    std::int64_t first_ns = 0;  // of the frame with its first byte
};

struct captured_connection {
    std::string client;
    std::string server;
    std::uint16_t server_port = 0;
};

struct captured {
    std::vector<captured_connection> connections;
    std::vector<captured_event> events;  // in the order of their last frame
    frame_ref end;                       // last packet
};

// captures/canal/NAME.pcap of the source tree.
[[nodiscard]] captured read_canal_capture(const std::string& name);

// Names (without .pcap) of all captures of captures/canal.
[[nodiscard]] std::vector<std::string> canal_captures();

}  // namespace cdcscope::canal
