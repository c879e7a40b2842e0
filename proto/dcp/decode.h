// One message, taken apart by its row of the layout table. Everything is a view into the message;
// nothing is copied or allocated.
#pragma once

#include <optional>

#include "proto/dcp/opcodes.h"

namespace cdcscope::dcp {

// A key field.
struct key_view {
    byte_view bytes;               // without the collection prefix
    std::uint32_t at = 0;          // offset of `bytes` in the message
    std::uint32_t collection = 0;  // id, if prefixed
    std::uint8_t prefix_size = 0;  // 0: no prefix
    bool prefixed = false;
};

// A field that is a number (or boolean), with its place.
struct number_view {
    std::uint64_t value = 0;
    std::uint32_t at = 0;  // offset in the message
    std::uint8_t size = 0;
};

struct message_view {
    header head;
    body_parts parts;
    const opcode_row* row = nullptr;    // null: opcode without a name
    const value_rule* value = nullptr;  // null with row
    const layout* extras_layout =
        nullptr;  // null: length that the opcode does not have, or nothing known
    const layout* value_layout =
        nullptr;  // value_kind::fixed: its fields; value_kind::list: those of one record
    const event_rule* event = nullptr;  // system events that are known
    key_view key;
    fault problem =
        fault::none;  // the layout is broken (dcp.malformed); what could be read is here

    // Number of a field in extras or in a fixed value (events of versions 0 to 2 included); nothing
    // if this message lacks it.
    [[nodiscard]] std::optional<number_view> find(field_id id) const noexcept;
    [[nodiscard]] std::optional<std::uint64_t> number(field_id id) const noexcept;
    // The message's own seqno, whatever its field is called.
    [[nodiscard]] std::optional<std::uint64_t> own_seqno() const noexcept;
    // Stream id of the framing extras.
    [[nodiscard]] std::optional<std::uint16_t> stream_id() const noexcept;
    [[nodiscard]] bool is_request() const noexcept { return !head.is_response(); }
    [[nodiscard]] value_kind kind() const noexcept {
        return value == nullptr ? value_kind::raw : value->kind;
    }
};

// `message`: header and body, or less if the capture cut it (not less than the header: such bytes
// give an empty view).
[[nodiscard]] message_view decode(byte_view message, const decode_context& context) noexcept;

// A key field with its prefix taken off, if there is one by the context. Not prefixed: no valid
// collection id is there.
[[nodiscard]] key_view decode_key(byte_view field, std::uint32_t at,
                                  const decode_context& context) noexcept;

// The number at its place in a run of fields that starts at `run`, which must be as long as the
// layout.
[[nodiscard]] std::uint64_t number_at(byte_view run, const field_at& where) noexcept;

// Framing extras, one frame after the other.
struct frame_view {
    std::uint16_t id = 0;
    std::uint8_t head_size = 0;  // bytes of id and length, escapes included
    std::uint32_t at = 0;        // offset of its head in the message
    byte_view data;
};
class frame_reader {
  public:
    explicit frame_reader(const body_parts& parts) noexcept
        : rest_(parts.framing), at_(parts.framing_at) {}
    // False at the end, or when the rest is no frame (then broken()).
    [[nodiscard]] bool next(frame_view& frame) noexcept;
    [[nodiscard]] bool broken() const noexcept { return broken_; }

  private:
    byte_view rest_;
    std::uint32_t at_;
    bool broken_ = false;
};
// Duration of a response frame, in microseconds.
[[nodiscard]] double frame_microseconds(std::uint16_t encoded) noexcept;

// Records of DCP_CACHE_TRANSFER.
struct cache_record_view {
    byte_view fixed;       // fields of cache_record_layout()
    std::uint32_t at = 0;  // offset of `fixed` in the message
    key_view key;
    byte_view value;
    std::uint32_t value_at = 0;
    std::uint8_t datatype = 0;
};
class cache_record_reader {
  public:
    cache_record_reader(const message_view& m, const decode_context& context) noexcept
        : rest_(m.parts.value), at_(m.parts.value_at), context_(context) {
        context_.collections = collection_keys::on;  // always prefixed
    }
    [[nodiscard]] bool next(cache_record_view& record) noexcept;
    [[nodiscard]] bool broken() const noexcept { return broken_; }

  private:
    byte_view rest_;
    std::uint32_t at_;
    decode_context context_;
    bool broken_ = false;
};

}  // namespace cdcscope::dcp
