// Members of JSON values that have a field of their own: the stream filter, DCP_OPEN's value, the
// agent of HELLO, the context of an error. Which they are is a table; who shows or uses them reads
// it from here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/dcp/fields.h"
#include "proto/wire/bytes.h"

namespace cdcscope::dcp {

struct json_member {
    field_id of;            // the field that the JSON is shown as
    std::string_view path;  // names joined by dots; "[]": each element of a list
    field_id field;
};
[[nodiscard]] std::span<const json_member> json_members() noexcept;
[[nodiscard]] bool has_json_members(field_id of) noexcept;

// The members found in one value, in its order. Memory is used again by the next read().
class member_list {
  public:
    struct item {
        field_id field;
        std::uint32_t at = 0, size = 0;            // where it stands in the JSON, without quotes
        std::uint32_t text_at = 0, text_size = 0;  // in the memory of the list
    };

    // False unless `json` is one valid JSON object. Behind a fault, or behind the 4096th member,
    // nothing is found.
    [[nodiscard]] bool read(field_id of, byte_view json);

    [[nodiscard]] std::span<const item> items() const noexcept { return items_; }
    // As it is meant: escapes resolved, numbers and booleans as they are written.
    [[nodiscard]] std::string_view text(const item& i) const noexcept {
        return std::string_view(text_).substr(i.text_at, i.text_size);
    }

  private:
    std::vector<item> items_;
    std::string text_;
};

}  // namespace cdcscope::dcp
