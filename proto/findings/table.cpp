// Look-up in the findings table.
#include "proto/findings/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "proto/findings/table_rows.h"

namespace cdcscope::findings {
namespace {

std::vector<entry> put_together() {
    std::vector<entry> all;
    for (const auto part : {rows::dcp_data(), rows::dcp_streams(), rows::dcp_connections(),
                            rows::canal(), rows::capture()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_but_case(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

// Edit distance (insert, delete, replace) of `a` to `b`.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string_view name(protocol p) noexcept {
    constexpr std::string_view names[] = {"dcp", "canal", "tcp", "ip", "capture", "cap"};
    return names[static_cast<std::size_t>(p)];
}

std::span<const std::string_view> entry::advice() const noexcept {
    const auto* end = std::find(std::begin(steps), std::end(steps), std::string_view{});
    return {std::begin(steps), end};
}

std::span<const entry> table() noexcept {
    static const std::vector<entry> all = put_together();
    return all;
}

const entry& entry_of(code what) noexcept {
    return table()[static_cast<std::size_t>(what)];
}

const entry* find_code(std::string_view text) noexcept {
    const auto all = table();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const entry& e) { return same_but_case(e.text, text); });
    return found == all.end() ? nullptr : &*found;
}

std::optional<rule_number> rule_of(std::string_view text) noexcept {
    constexpr std::size_t longest = 9;
    if (text.size() < 2 || text.size() > longest) return {};
    rule_number read{lower(text[0]) == 'd' ? protocol::dcp : protocol::canal, 0};
    if (read.of == protocol::canal && lower(text[0]) != 'c') return {};
    const char* const end = text.data() + text.size();
    const auto [at, fault] = std::from_chars(text.data() + 1, end, read.number);
    if (fault != std::errc() || at != end) return {};
    return read;
}

unsigned last_rule(protocol of) noexcept {
    unsigned last = 0;
    for (const entry& e : table()) {
        const auto rule = rule_of(e.rule);
        if (rule && rule->of == of) last = std::max(last, rule->number);
    }
    return last;
}

const entry* find_rule(std::string_view text) noexcept {
    const auto wanted = rule_of(text);
    if (!wanted) return nullptr;
    const auto all = table();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const entry& e) { return rule_of(e.rule) == wanted; });
    return found == all.end() ? nullptr : &*found;
}

const entry* nearest(std::string_view text) {
    constexpr std::size_t longest = 64;  // no code is longer; keeps the work small for any argument
    if (text.size() > longest) return nullptr;
    const entry* best = nullptr;
    std::size_t least = std::max<std::size_t>(text.size() / 4, 1) + 1;
    for (const entry& e : table()) {
        const std::size_t edits = distance(e.text, text);
        if (edits < least) least = edits, best = &e;
    }
    return best;
}

}  // namespace cdcscope::findings
