// Taking a value apart: inflate, cut off the attributes, cut off the metadata.
#include "proto/dcp/document.h"

#include <snappy.h>

#include <cstring>
#include <new>

#include "proto/wire/cursor.h"

namespace cdcscope::dcp {
namespace {

constexpr std::size_t section_head = 4;  // length of all pairs

// Length of the pairs at the front of a value; nothing if they contradict each other.
bool find_xattrs(byte_view value, byte_view& pairs) noexcept {
    if (value.size() < section_head) return false;
    const std::size_t length = load_be32(value.data());
    if (length > value.size() - section_head) return false;
    pairs = value.subspan(section_head, length);
    xattr_reader reader(pairs);
    xattr_view pair;
    while (reader.next(pair)) {
    }
    return !reader.broken();
}

bool metadata_fits(byte_view metadata) noexcept {
    meta_reader reader(metadata);
    meta_view entry;
    while (reader.next(entry)) {
    }
    return !reader.broken();
}

}  // namespace

std::uint8_t* inflate_buffer::prepare(std::size_t size) noexcept {
    if (size <= size_) return bytes_.get();
    bytes_.reset();
    size_ = 0;
    bytes_.reset(new (std::nothrow) std::uint8_t[size]);
    if (bytes_ != nullptr) size_ = size;
    return bytes_.get();
}

void inflate_buffer::shrink(std::size_t keep) noexcept {
    if (size_ <= keep) return;
    bytes_.reset();
    size_ = 0;
}

document_view inflate(byte_view value, std::uint8_t datatype, inflate_buffer& buffer,
                      std::size_t cap) noexcept {
    document_view doc;
    doc.value = value;
    doc.body = value;
    if ((datatype & datatype_bit::snappy) == 0 || value.empty()) return doc;
    const char* const from = reinterpret_cast<const char*>(value.data());
    std::size_t length = 0;
    if (!snappy::GetUncompressedLength(from, value.size(), &length)) {
        doc.problem = fault::snappy;
        return doc;
    }
    if (length > cap) {
        doc.too_large = true;
        doc.claimed = static_cast<std::uint32_t>(length);
        return doc;
    }
    std::uint8_t* const to = buffer.prepare(length == 0 ? 1 : length);
    if (to == nullptr) {
        doc.too_large = true;
        return doc;
    }
    if (!snappy::RawUncompress(from, value.size(), reinterpret_cast<char*>(to))) {
        doc.problem = fault::snappy;
        return doc;
    }
    doc.inflated = true;
    doc.value = {to, length};
    doc.body = doc.value;
    return doc;
}

document_view open_document(byte_view value, std::uint8_t datatype, std::uint16_t nmeta,
                            inflate_buffer& buffer, std::size_t cap) noexcept {
    const bool has_metadata = nmeta > 0 && nmeta <= value.size();
    const byte_view metadata = has_metadata ? value.last(nmeta) : byte_view{};
    document_view doc = inflate(value.first(value.size() - metadata.size()), datatype, buffer, cap);
    doc.extended_metadata = metadata;
    doc.extended_metadata_at = static_cast<std::uint32_t>(value.size() - metadata.size());
    if (doc.problem != fault::none || doc.too_large) return doc;
    if ((nmeta > 0 && !has_metadata) || !metadata_fits(metadata))
        doc.problem = fault::extended_metadata;
    if ((datatype & datatype_bit::xattr) == 0 || doc.value.empty()) return doc;
    byte_view pairs;
    if (!find_xattrs(doc.value, pairs)) {
        doc.problem = fault::xattrs;
        return doc;
    }
    doc.xattrs = pairs;
    doc.xattrs_at = section_head;
    doc.body_at = static_cast<std::uint32_t>(section_head + pairs.size());
    doc.body = doc.value.subspan(doc.body_at);
    return doc;
}

bool xattr_reader::next(xattr_view& pair) noexcept {
    if (rest_.empty() || broken_) return false;
    cursor in(rest_);
    const std::uint32_t length = in.be32();
    const byte_view text = in.take(length);
    // Key, zero, value, zero.
    const void* const middle =
        in.ok() && !text.empty() ? std::memchr(text.data(), 0, text.size()) : nullptr;
    const std::size_t key_size =
        middle == nullptr
            ? 0
            : static_cast<std::size_t>(static_cast<const std::uint8_t*>(middle) - text.data());
    if (middle == nullptr || key_size + 1 >= text.size() || text.back() != 0) {
        broken_ = true;
        return false;
    }
    pair = {text.first(key_size), text.subspan(key_size + 1, text.size() - key_size - 2), at_};
    at_ += static_cast<std::uint32_t>(in.offset());
    rest_ = in.rest();
    return true;
}

bool meta_reader::next(meta_view& entry) noexcept {
    if (rest_.empty() || broken_) return false;
    cursor in(rest_);
    entry.id = in.u8();
    entry.data = in.take(in.be16());
    entry.at = at_;
    if (!in.ok()) {
        broken_ = true;
        return false;
    }
    at_ += static_cast<std::uint32_t>(in.offset());
    rest_ = in.rest();
    return true;
}

}  // namespace cdcscope::dcp
