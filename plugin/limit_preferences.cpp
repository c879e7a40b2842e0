#include "plugin/limit_preferences.h"

#include <array>
#include <charconv>
#include <deque>
#include <string>

#include "plugin/text.h"

namespace cdcscope {
namespace {

// Text, because a limit may have a unit ("500 ms") or a fraction. Indexed by limit; epan owns what
// the pointers point to.
std::array<const char*, findings::limit_count> values;
std::deque<std::string> kept;

const char* keep(std::string text) {
    return kept.emplace_back(std::move(text)).c_str();
}

bool is_of(const findings::threshold& t, findings::protocol of) {
    return findings::entry_of(t.of).of == of;
}

std::string as_text(const findings::threshold& t) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), t.value);
    std::string text(digits.data(), end.ptr);
    if (!t.unit.empty()) text += " " + std::string(t.unit);
    return text;
}

}  // namespace

void register_limits(module_t* module, findings::protocol of) {
    for (const findings::threshold& t : findings::limit_table()) {
        if (!is_of(t, of)) continue;
        const char*& value = values[static_cast<std::size_t>(t.which)];
        value = keep(as_text(t));
        const std::string_view own =
            t.name.substr(t.name.find('.') + 1);  // without the protocol's name
        const char* title = keep("Limit: " + std::string(t.name));
        prefs_register_string_preference(module, keep(std::string(own)), title, ws::c_str(t.help),
                                         &value);
    }
}

void apply_limits(findings::protocol of, findings::thresholds& into) {
    for (const findings::threshold& t : findings::limit_table()) {
        const char* value = values[static_cast<std::size_t>(t.which)];
        if (!is_of(t, of) || value == nullptr) continue;
        std::string assignment = std::string(t.name) + "=";
        for (const char* c = value; *c != '\0'; ++c) {
            if (*c != ' ') assignment += *c;
        }
        if (into.set(assignment))
            into.set(t.which, t.value);  // what cannot be read is as if not set
    }
}

}  // namespace cdcscope
