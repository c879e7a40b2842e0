// The value of a document: Snappy, extended attributes, extended metadata, body.
#pragma once

#include <memory>

#include "proto/dcp/opcodes.h"

namespace cdcscope::dcp {

// The largest value that is inflated; documents end at 20 MiB.
inline constexpr std::size_t default_inflate_cap = 64U << 20;

// Memory for inflated values, used again and again. Large ones are given back by shrink().
class inflate_buffer {
  public:
    // Room for `size` bytes; null if there is no memory. Ends the life of what was there.
    [[nodiscard]] std::uint8_t* prepare(std::size_t size) noexcept;
    void shrink(std::size_t keep) noexcept;

  private:
    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t size_ = 0;
};

struct document_view {
    fault problem = fault::none;  // the value does not fit its datatype
    bool inflated = false;        // `value` lies in the buffer, not in the message
    bool too_large = false;       // not inflated: above the cap
    std::uint32_t claimed = 0;    // then the size that the block claims
    byte_view value;              // inflated
    byte_view xattrs;             // pairs, without the length in front
    byte_view body;               // rest; what could not be taken apart is here as it is
    byte_view extended_metadata;  // behind the body, old servers only
    // Offsets in `value`; that of the metadata, which is never compressed, in the value as sent.
    std::uint32_t xattrs_at = 0, body_at = 0, extended_metadata_at = 0;
};

// `nmeta`: bytes of extended metadata at the end of the value. An empty value is never inflated,
// whatever the datatype says. The views live as long as `value` and until the buffer's next use.
// JSON is not looked at.
[[nodiscard]] document_view open_document(byte_view value, std::uint8_t datatype,
                                          std::uint16_t nmeta, inflate_buffer& buffer,
                                          std::size_t cap = default_inflate_cap) noexcept;

// Only step 1: the value without Snappy. Problem: fault::snappy.
[[nodiscard]] document_view inflate(byte_view value, std::uint8_t datatype, inflate_buffer& buffer,
                                    std::size_t cap = default_inflate_cap) noexcept;

// Pairs of extended attributes.
struct xattr_view {
    byte_view key, value;
    std::uint32_t at = 0;  // offset of the pair's length in the section
};
class xattr_reader {
  public:
    explicit xattr_reader(byte_view pairs) noexcept : rest_(pairs) {}
    [[nodiscard]] bool next(xattr_view& pair) noexcept;
    [[nodiscard]] bool broken() const noexcept { return broken_; }

  private:
    byte_view rest_;
    std::uint32_t at_ = 0;
    bool broken_ = false;
};

// Entries of extended metadata; the version comes first.
struct meta_view {
    std::uint8_t id = 0;
    byte_view data;
    std::uint32_t at = 0;  // offset of its id in the metadata
};
class meta_reader {
  public:
    explicit meta_reader(byte_view metadata) noexcept
        : rest_(metadata.empty() ? metadata : metadata.subspan(1)),
          at_(metadata.empty() ? 0U : 1U) {}
    [[nodiscard]] bool next(meta_view& entry) noexcept;
    [[nodiscard]] bool broken() const noexcept { return broken_; }

  private:
    byte_view rest_;
    std::uint32_t at_;
    bool broken_ = false;
};

}  // namespace cdcscope::dcp
