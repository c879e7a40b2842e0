// Values of canal as JSON: text, binary columns, what is hidden.

#pragma once

#include <string>
#include <string_view>

#include "analyzer/record/options.h"
#include "proto/json/json_writer.h"

namespace cdcscope::record {

// java.sql.Types of binary columns: their text is ISO-8859-1.
[[nodiscard]] constexpr bool is_binary_type(std::int32_t sql_type) noexcept {
    return sql_type == 2004 || (sql_type >= -4 && sql_type <= -2);
}

// The bytes behind an ISO-8859-1 text in UTF-8; false if it holds anything above U+00FF or is no
// UTF-8.
[[nodiscard]] bool latin1_bytes(std::string_view text, std::string& out);

class canal_values {
  public:
    explicit canal_values(const options& chosen) noexcept : options_(chosen) {}

    // A string, or {"base64":...} if it is no UTF-8.
    void write_text(json_writer& out, std::string_view text);
    // A name where only a string fits: bytes that are no UTF-8 become U+FFFD.
    void write_name(json_writer& out, std::string_view name);
    // A column's value: with `--blob base64` binary ones as {"base64":...}.
    void write_column(json_writer& out, std::string_view value, std::int32_t sql_type);
    // "(redacted, 40 bytes)"
    void write_redacted(json_writer& out, std::size_t size);

    [[nodiscard]] bool hides(bool is_key) const noexcept {
        return options_.redact == redact_mode::all ||
               options_.redact == (is_key ? redact_mode::keys : redact_mode::values);
    }

  private:
    void write_base64(json_writer& out, byte_view bytes);

    options options_;
    std::string scratch_;
};

}  // namespace cdcscope::record
