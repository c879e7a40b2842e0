// The walker against libprotobuf, which reads the same .proto files by code of its own: on every
// frame of every capture the same fields, on damaged bytes the same verdict.
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "AdminProtocol.pb.h"
#include "CanalProtocol.pb.h"
#include "EntryProtocol.pb.h"
#include "proto/canal/walk.h"
#include "proto/wire/utf8.h"
#include "tests/proto/canal/capture_frames.h"

namespace cdcscope::canal {
namespace {

namespace pb = google::protobuf;

std::unique_ptr<pb::Message> make(message_id id) {
    const message_row& row = row_of(id);
    const std::string package =
        std::string("com.alibaba.otter.canal.protocol.") + (row.admin ? "admin." : "");
    const auto* type = pb::DescriptorPool::generated_pool()->FindMessageTypeByName(
        package + std::string(row.name));
    return std::unique_ptr<pb::Message>(
        pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// Puts one field that our reader gave into a libprotobuf message.
void put(pb::Message& m, const message_field& f);

void fill(pb::Message& m, message_id id, byte_view bytes) {
    message_reader reader(id, bytes);
    message_field f;
    while (reader.next(f)) {
        if (f.row != nullptr) put(m, f);
    }
}

void put(pb::Message& m, const message_field& f) {
    const pb::Reflection& set = *m.GetReflection();
    const pb::FieldDescriptor* field =
        m.GetDescriptor()->FindFieldByNumber(static_cast<int>(f.number));
    const std::string text(as_text(f.bytes));
    switch (f.row->kind) {
        case field_kind::int32:
            return set.SetInt32(&m, field, f.as_int32());
        case field_kind::int64:
            return set.SetInt64(&m, field, f.as_int64());
        case field_kind::boolean:
            return set.SetBool(&m, field, f.as_bool());
        case field_kind::enumeration:
            return set.SetEnumValue(&m, field, f.as_int32());
        case field_kind::text:
        case field_kind::bytes:
            return f.row->repeated ? set.AddString(&m, field, text)
                                   : set.SetString(&m, field, text);
        case field_kind::message:
            return fill(
                f.row->repeated ? *set.AddMessage(&m, field) : *set.MutableMessage(&m, field),
                f.row->message, f.bytes);
    }
}

// All text of a message and of the messages nested in it is UTF-8: libprotobuf wants that, too.
bool text_is_utf8(message_id id, byte_view bytes) {
    message_reader reader(id, bytes);
    message_field f;
    while (reader.next(f)) {
        if (f.row == nullptr) continue;
        if (f.row->kind == field_kind::text && !is_utf8(f.bytes)) return false;
        if (f.row->kind == field_kind::message && !text_is_utf8(f.row->message, f.bytes))
            return false;
    }
    return true;
}

bool parses(pb::Message& m, byte_view bytes) {
    return m.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// Calls action(message, bytes) for a packet and for every message held in `bytes` of it.
template <typename Action>
struct held_messages {
    Action action;
    bool enter(const message_field& f, message_id inner) {
        if (f.row->kind == field_kind::bytes) action(inner, f.bytes);
        return true;
    }
    void leave(message_id, const outcome&) {}
    void field(const message_field&) {}
};

template <typename Action>
void each_message(byte_view payload, port_kind port, Action action) {
    action(packet_message(port), payload);
    held_messages<Action> visitor{action};
    walk(visitor, packet_message(port), payload, port);
}

port_kind port_of(const captured& c, const captured_event& e) {
    return c.connections[e.connection].server_port == 11110 ? port_kind::admin : port_kind::data;
}

TEST(CanalWalker, SeesEveryFieldAsLibprotobufDoes) {
    std::size_t seen = 0;
    for (const std::string& name : canal_captures()) {
        const captured capture = read_canal_capture(name);
        for (const captured_event& e : capture.events) {
            if (e.kind != captured_event::what::message) continue;
            each_message(e.payload, port_of(capture, e), [&](message_id id, byte_view bytes) {
                const auto theirs = make(id);
                const auto ours = make(id);
                const bool good = parses(*theirs, bytes);
                ASSERT_EQ(check_message(id, bytes) == fault::none, good)
                    << name << " frame " << e.frames.last;
                if (!good) return;
                fill(*ours, id, bytes);
                theirs->DiscardUnknownFields();
                ASSERT_EQ(ours->SerializeAsString(), theirs->SerializeAsString())
                    << name << " " << row_of(id).name;
                ++seen;
            });
        }
    }
    EXPECT_GT(seen, 2000U);
}

std::vector<std::uint8_t> damaged(byte_view bytes, std::mt19937& random) {
    std::vector<std::uint8_t> out(bytes.begin(), bytes.end());
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (std::size_t n = 1 + below(3); n > 0 && !out.empty(); --n) {
        const auto at = out.begin() + static_cast<std::ptrdiff_t>(below(out.size()));
        switch (below(5)) {
            case 0:
                *at = static_cast<std::uint8_t>(random());
                break;
            case 1:
                *at = static_cast<std::uint8_t>(*at ^ 1U << below(8));
                break;
            case 2:
                out.erase(at);
                break;
            case 3:
                out.insert(at, static_cast<std::uint8_t>(random()));
                break;
            default:
                out.erase(at, out.end());
                break;
        }
    }
    return out;
}

TEST(CanalWalker, TakesAndRefusesDamagedBytesAsLibprotobufDoes) {
    pb::SetLogHandler(nullptr);
    std::mt19937 random(20260730);
    std::size_t refused = 0;
    std::size_t taken = 0;
    for (const std::string& name : canal_captures()) {
        const captured capture = read_canal_capture(name);
        for (const captured_event& e : capture.events) {
            if (e.kind != captured_event::what::message) continue;
            each_message(e.payload, port_of(capture, e), [&](message_id id, byte_view bytes) {
                if (bytes.size() > 2000) return;
                for (int i = 0; i < 50; ++i) {
                    const auto changed = damaged(bytes, random);
                    const bool ours =
                        check_message(id, changed) == fault::none && text_is_utf8(id, changed);
                    ASSERT_EQ(ours, parses(*make(id), changed))
                        << row_of(id).name << " " << text(check_message(id, changed));
                    ++(ours ? taken : refused);
                }
            });
        }
    }
    EXPECT_GT(taken, 1000U);
    EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace cdcscope::canal
