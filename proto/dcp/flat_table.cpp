// FlatBuffers: root offset, table, vtable, slots; all little-endian.
#include "proto/dcp/flat_table.h"

namespace cdcscope::dcp {
namespace {

constexpr std::size_t vtable_head = 4;  // its own size, the table's size

bool inside(byte_view buffer, std::size_t at, std::size_t size) noexcept {
    return at <= buffer.size() && size <= buffer.size() - at;
}

}  // namespace

std::optional<flat_table> flat_table::open(byte_view buffer) noexcept {
    if (!inside(buffer, 0, 4)) return std::nullopt;
    const std::size_t table = load_le32(buffer.data());
    if (!inside(buffer, table, 4)) return std::nullopt;
    const auto back = static_cast<std::int32_t>(load_le32(buffer.data() + table));
    const std::int64_t vtable = static_cast<std::int64_t>(table) - back;
    if (vtable < 0 || !inside(buffer, static_cast<std::size_t>(vtable), vtable_head))
        return std::nullopt;
    const std::size_t size = load_le16(buffer.data() + vtable);
    if (size < vtable_head || !inside(buffer, static_cast<std::size_t>(vtable), size))
        return std::nullopt;
    return flat_table(buffer, table, static_cast<std::size_t>(vtable), (size - vtable_head) / 2);
}

std::size_t flat_table::offset_of(std::uint8_t slot) const noexcept {
    return slot < slots_ ? load_le16(buffer_.data() + vtable_ + vtable_head + std::size_t{2} * slot)
                         : 0U;
}

std::optional<std::size_t> flat_table::find(std::uint8_t slot, std::size_t size) const noexcept {
    const std::size_t offset = offset_of(slot);
    if (offset == 0 || !inside(buffer_, table_ + offset, size)) return std::nullopt;
    return table_ + offset;
}

std::optional<std::uint64_t> flat_table::number(std::uint8_t slot,
                                                std::size_t size) const noexcept {
    const std::optional<std::size_t> at = find(slot, size);
    if (!at) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = size; i > 0; --i) value = value << 8 | buffer_[*at + i - 1];
    return value;
}

std::optional<byte_view> flat_table::string(std::uint8_t slot) const noexcept {
    const std::optional<std::size_t> at = find(slot, 4);
    if (!at) return std::nullopt;
    const std::size_t start = *at + load_le32(buffer_.data() + *at);
    if (!inside(buffer_, start, 4)) return std::nullopt;
    const std::size_t length = load_le32(buffer_.data() + start);
    if (!inside(buffer_, start + 4, length)) return std::nullopt;
    return buffer_.subspan(start + 4, length);
}

bool flat_table::fits(std::uint8_t slot, std::size_t size, bool is_string) const noexcept {
    if (offset_of(slot) == 0) return true;
    return is_string ? string(slot).has_value() : find(slot, size).has_value();
}

}  // namespace cdcscope::dcp
