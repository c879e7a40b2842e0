// One pass: the grammar of RFC 8259 as a state machine, nesting as a bit a level; what is kept is
// copied in runs.
#include "proto/json/json_document.h"

#include <algorithm>
#include <array>

#include "proto/json/plain_run.h"
#include "proto/wire/utf8.h"

namespace cdcscope {
namespace {

constexpr bool is_space(std::uint8_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
constexpr bool is_digit(std::uint8_t c) {
    return c >= '0' && c <= '9';
}

// Levels that are kept apart, a bit each.
constexpr std::size_t most_depth = 1024;

// What may come next, white space aside.
enum class expected { value, first_element, member, first_member, colon, separator, nothing };

class compactor {
  public:
    compactor(std::string& out, byte_view document, std::size_t max_depth)
        : out_(out), in_(document), max_depth_(std::min(max_depth, most_depth)) {}

    bool run() {
        while (at_ < in_.size()) {
            if (is_space(in_[at_])) {
                skip_space();
            } else if (!step()) {
                return false;
            }
        }
        keep();
        return next_ == expected::nothing;
    }

  private:
    [[nodiscard]] byte_view rest() const { return in_.subspan(at_); }
    [[nodiscard]] bool at_is(char c) const { return in_[at_] == static_cast<std::uint8_t>(c); }

    void keep() {
        out_.append(as_text(in_.subspan(kept_, at_ - kept_)));
        kept_ = at_;
    }
    void skip_space() {
        keep();
        while (at_ < in_.size() && is_space(in_[at_])) ++at_;
        kept_ = at_;
    }

    bool step() {
        switch (next_) {
            case expected::nothing:
                return false;
            case expected::colon:
                return take(':', expected::value);
            case expected::separator:
                return separator();
            case expected::first_member:
                if (at_is('}')) return close();
                [[fallthrough]];
            case expected::member:
                next_ = expected::colon;
                return at_is('"') && string();
            case expected::first_element:
                if (at_is(']')) return close();
                [[fallthrough]];
            case expected::value:
                return value();
        }
        return false;
    }

    bool take(char c, expected then) {
        if (!at_is(c)) return false;
        ++at_;
        next_ = then;
        return true;
    }
    bool separator() {
        const bool in_object = (nesting_[(depth_ - 1) / 64] >> (depth_ - 1) % 64 & 1U) != 0;
        if (at_is(in_object ? '}' : ']')) return close();
        return take(',', in_object ? expected::member : expected::value);
    }
    bool open(bool object) {
        if (depth_ >= max_depth_) return false;
        const std::uint64_t bit = std::uint64_t{1} << depth_ % 64;
        std::uint64_t& word = nesting_[depth_ / 64];
        word = object ? word | bit : word & ~bit;
        ++depth_;
        ++at_;
        next_ = object ? expected::first_member : expected::first_element;
        return true;
    }
    bool close() {
        --depth_;
        ++at_;
        ended();
        return true;
    }
    void ended() { next_ = depth_ == 0 ? expected::nothing : expected::separator; }

    bool value() {
        const std::uint8_t c = in_[at_];
        if (c == '{' || c == '[') return open(c == '{');
        ended();
        if (c == '"') return string();
        if (c == '-' || is_digit(c)) return number();
        return word("true") || word("false") || word("null");
    }
    bool word(std::string_view text) {
        if (as_text(rest()).substr(0, text.size()) != text) return false;
        at_ += text.size();
        return true;
    }
    bool digits() {
        const std::size_t from = at_;
        while (at_ < in_.size() && is_digit(in_[at_])) ++at_;
        return at_ > from;
    }
    bool number() {
        if (at_is('-')) ++at_;
        if (at_ == in_.size()) return false;
        if (at_is('0')) {
            ++at_;
        } else if (!digits()) {
            return false;
        }
        if (at_ < in_.size() && at_is('.')) {
            ++at_;
            if (!digits()) return false;
        }
        if (at_ == in_.size() || (!at_is('e') && !at_is('E'))) return true;
        ++at_;
        if (at_ < in_.size() && (at_is('+') || at_is('-'))) ++at_;
        return digits();
    }

    bool string() {
        ++at_;
        while (true) {
            at_ += plain_run(rest());
            if (at_ == in_.size()) return false;
            if (at_is('"')) {
                ++at_;
                return true;
            }
            if (!at_is('\\') || !escape()) return false;  // a control character otherwise
        }
    }
    bool escape() {
        if (in_.size() - at_ < 2) return false;
        const auto kind = static_cast<char>(in_[at_ + 1]);
        if (kind != 'u') {
            at_ += 2;
            return std::string_view("\"\\/bfnrt").find(kind) != std::string_view::npos;
        }
        // Halves of a pair stand together: a lone one is no character.
        const int first = code_unit();
        if (first < 0 || (first >= 0xdc00 && first <= 0xdfff)) return false;
        if (first < 0xd800 || first > 0xdbff) return true;
        const int second = code_unit();
        return second >= 0xdc00 && second <= 0xdfff;
    }
    int code_unit() {
        if (in_.size() - at_ < 6 || !at_is('\\') || in_[at_ + 1] != 'u') return -1;
        int unit = 0;
        for (std::size_t i = 2; i < 6; ++i) {
            const std::uint8_t c = in_[at_ + i];
            const std::uint8_t letter = c | 0x20U;
            if (!is_digit(c) && (letter < 'a' || letter > 'f')) return -1;
            unit = unit << 4 | (is_digit(c) ? c - '0' : letter - 'a' + 10);
        }
        at_ += 6;
        return unit;
    }

    std::string& out_;
    byte_view in_;
    std::size_t max_depth_;
    std::size_t at_ = 0;
    std::size_t kept_ = 0;  // what comes before is in `out_`, or is white space
    std::array<std::uint64_t, most_depth / 64> nesting_{};  // set: an object
    std::size_t depth_ = 0;
    expected next_ = expected::value;
};

}  // namespace

bool append_compact_json(std::string& out, byte_view document, std::size_t max_depth) {
    if (!is_utf8(document)) return false;
    const std::size_t before = out.size();
    if (compactor(out, document, max_depth).run()) return true;
    out.resize(before);
    return false;
}

}  // namespace cdcscope
