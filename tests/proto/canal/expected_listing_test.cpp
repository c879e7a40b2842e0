// The walker against what an independent decoder listed: captures/canal/*.expected.jsonl, field by
// field, down to every column of every row.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "proto/canal/view.h"
#include "proto/canal/walk.h"
#include "tests/proto/canal/capture_frames.h"

namespace cdcscope::canal {
namespace {

using json = nlohmann::json;

std::string hex_of(byte_view bytes) {
    std::string out;
    for (const std::uint8_t b : bytes) {
        out += "0123456789abcdef"[b >> 4];
        out += "0123456789abcdef"[b & 15];
    }
    return out;
}

// Strings over 400 bytes are listed by length and beginning.
json text_of(byte_view bytes) {
    if (bytes.size() <= 400) return std::string(as_text(bytes));
    return {{"utf8_len", bytes.size()}};
}

json shortened(json listed) {
    if (listed.is_object() && listed.contains("utf8_len"))
        return {{"utf8_len", listed["utf8_len"]}};
    if (listed.is_structured()) {
        for (auto& each : listed) each = shortened(each);
    }
    return listed;
}

json decode(message_id id, byte_view bytes, port_kind port);

json value_of(const message_field& f, message_id inner, port_kind port) {
    if (inner != message_id::none) return decode(inner, f.bytes, port);
    switch (f.row->kind) {
        case field_kind::int32:
            return f.as_int32();
        case field_kind::int64:
            return f.as_int64();
        case field_kind::boolean:
            return f.as_bool();
        case field_kind::text:
            return text_of(f.bytes);
        case field_kind::enumeration: {
            const std::string_view name = row_of(f.row->enumeration).find(f.as_int32());
            if (name == "HEARTBEATS") return "HEARTBEAT";  // the listing has the upstream name
            return name.empty() ? json(f.as_int32()) : json(name);
        }
        default:
            return hex_of(f.bytes);
    }
}

// An Entry is listed with its size, and with what is stored in it.
json decode_entry(byte_view bytes, port_kind port) {
    json out;
    message_reader reader(message_id::entry, bytes);
    message_field f;
    while (reader.next(f)) {
        if (f.number == fields::entry::store_value) {
            const message_id stored = held_message(message_id::entry, bytes, *f.row, port);
            out["storeValue_len"] = f.bytes.size();
            out["store_type"] = row_of(stored).name;
            out["store"] = decode(stored, f.bytes, port);
        } else {
            out[std::string(f.row->name)] = value_of(f, f.row->message, port);
        }
    }
    out["size"] = bytes.size();
    return out;
}

json decode(message_id id, byte_view bytes, port_kind port) {
    if (id == message_id::entry) return decode_entry(bytes, port);
    json out = json::object();
    message_reader reader(id, bytes);
    message_field f;
    while (reader.next(f)) {
        if (f.row == nullptr) continue;
        const std::string name(f.row->name);
        const message_id inner =
            f.row->holds == content::plain || f.row->holds == content::one_message
                ? f.row->message
                : message_id::none;
        const json value = value_of(f, inner, port);
        if (f.row->repeated) {
            out[name].push_back(value);
        } else {
            out[name] = value;
        }
    }
    if (id == message_id::messages && !out.contains("messages")) out["messages"] = json::array();
    return out;
}

json listing_of(const captured_event& e, port_kind port) {
    json out;
    out["conn"] = e.connection;
    out["dir"] = name(e.dir);
    out["stream_offset"] = e.offset;
    out["length"] = e.payload.size();
    out["done_pkt"] = e.frames.done.frame;
    const packet_view packet = parse_packet(e.payload, port);
    if (!packet.ok()) {
        out["error"] = true;
        return out;
    }
    json head = decode(packet_message(port), e.payload, port);
    head.erase("body");
    head["type_number"] = packet.type;
    if (head.contains("type") && head["type"].is_number()) head["type"] = "unknown";
    out["packet"] = head;
    const message_id body = row_of_type(port, packet.type).body;
    if (body == message_id::none) {
        out["body_hex"] = hex_of(packet.body);
        return out;
    }
    out["body_type"] = row_of(body).name;
    if (packet.has_body) out["body_len"] = packet.body.size();
    if (check_message(body, packet.body) != fault::none) {
        out["error"] = true;
    } else {
        out["body"] = decode(body, packet.body, port);
    }
    return out;
}

TEST(CanalListing, IsMetFieldByFieldOnEveryCapture) {
    std::size_t lines = 0;
    std::size_t columns = 0;
    for (const std::string& name : canal_captures()) {
        const captured capture = read_canal_capture(name);
        std::map<std::tuple<std::uint32_t, std::string, std::uint64_t>, const captured_event*>
            frames;
        for (const captured_event& e : capture.events) {
            if (e.kind == captured_event::what::message) {
                frames[{e.connection, std::string(cdcscope::name(e.dir)), e.offset}] = &e;
            }
        }
        std::ifstream in(CDCSCOPE_SOURCE_DIR "/captures/canal/" + name + ".expected.jsonl");
        std::size_t listed = 0;
        for (std::string line; std::getline(in, line); ++listed) {
            json expected = shortened(json::parse(line));
            const auto found =
                frames.find({expected["conn"], expected["dir"], expected["stream_offset"]});
            ASSERT_NE(found, frames.end()) << name << " " << line.substr(0, 200);
            const captured_event& e = *found->second;
            const bool admin = capture.connections[e.connection].server_port == 11110;
            for (const char* key : {"n", "client", "server", "first_pkt", "last_pkt", "ts"})
                expected.erase(key);
            if (expected.contains("error")) expected["error"] = true;
            const json ours = listing_of(e, admin ? port_kind::admin : port_kind::data);
            ASSERT_EQ(ours, expected) << name << "\n"
                                      << json::diff(expected, ours).dump().substr(0, 2000);
            const std::string text = ours.dump();
            for (std::size_t at = text.find("\"mysqlType\""); at != std::string::npos;
                 at = text.find("\"mysqlType\"", at + 1)) {
                ++columns;
            }
            ++lines;
        }
        EXPECT_EQ(listed, frames.size()) << name;
    }
    EXPECT_GT(lines, 470U);
    EXPECT_GT(columns, 3000U);
}

}  // namespace
}  // namespace cdcscope::canal
