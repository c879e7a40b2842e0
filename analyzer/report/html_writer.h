// HTML written piece by piece. Strings given to put() and text() are escaped, so that a name from
// the capture is never markup; raw() and `markup` are for what this program wrote itself.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cdcscope::report {

// & < > " ' escaped; control characters and bytes that are no UTF-8 as \xNN.
[[nodiscard]] std::string escape_html(std::string_view text);
// The same line by line: line feeds stay.
[[nodiscard]] std::string escape_html_lines(std::string_view text);

// Text that is markup already.
struct markup {
    std::string text;
};

namespace detail {
template <typename T>
auto safe(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
        return value;
    } else if constexpr (std::is_same_v<T, markup>) {
        return std::string_view{value.text};
    } else {
        return escape_html(value);
    }
}
}  // namespace detail

class html_writer {
  public:
    html_writer& raw(std::string_view text) {
        out_ += text;
        return *this;
    }
    html_writer& text(std::string_view text) { return raw(escape_html(text)); }

    // `form` is markup; numbers go in as they are, `markup` as it is, everything else escaped.
    template <typename... Args>
    html_writer& put(
        fmt::format_string<decltype(detail::safe(std::declval<const Args&>()))...> form,
        const Args&... args) {
        // From fmt 10 on the store refers to its arguments.
        std::apply(
            [&](const auto&... each) {
                fmt::vformat_to(std::back_inserter(out_), form, fmt::make_format_args(each...));
            },
            std::make_tuple(detail::safe(args)...));
        return *this;
    }

    [[nodiscard]] const std::string& str() const noexcept { return out_; }
    [[nodiscard]] markup take() { return {std::exchange(out_, {})}; }

  private:
    std::string out_;
};

}  // namespace cdcscope::report
