#include "plugin/experts.h"

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "proto/findings/reference.h"

namespace cdcscope {
namespace {

constexpr std::size_t severity_count = 4;
constexpr int wireshark_severity[severity_count] = {PI_CHAT, PI_NOTE, PI_WARN, PI_ERROR};

int wireshark_group(findings::group g) {
    switch (g) {
        case findings::group::protocol:
            return PI_PROTOCOL;
        case findings::group::malformed:
            return PI_MALFORMED;
        case findings::group::sequence:
            return PI_SEQUENCE;
        case findings::group::response_code:
            return PI_RESPONSE_CODE;
        case findings::group::undecoded:
            return PI_UNDECODED;
    }
    return PI_UNDECODED;
}

// Owns what epan keeps pointing to. Indexed by code, then by severity.
struct registry {
    std::deque<std::string> text;
    std::vector<std::array<expert_field, severity_count>> fields;
    std::deque<std::vector<ei_register_info>> registered;
};
registry known;

const char* keep(std::string text) {
    return known.text.emplace_back(std::move(text)).c_str();
}

}  // namespace

void register_experts(int proto, findings::protocol of, std::string_view own_prefix) {
    if (known.fields.empty()) {
        std::array<expert_field, severity_count> none;
        none.fill(expert_field EI_INIT);
        known.fields.assign(findings::table().size(), none);
    }
    std::vector<ei_register_info>& list = known.registered.emplace_back();
    for (const findings::entry& e : findings::table()) {
        if (e.of != of) continue;
        std::string filter = findings::expert_field(e);
        if (filter.empty())
            filter = std::string(own_prefix) + std::string(e.text.substr(e.text.find('.')));
        const char* name = keep(std::move(filter));
        const char* title = keep(std::string(e.title));
        // A mild form of every rule exists where the capture leaves doubt; the gravest comes last,
        // so that it names the filter.
        for (std::size_t s = 0; s <= static_cast<std::size_t>(e.level); ++s) {
            expert_field* field = &known.fields[static_cast<std::size_t>(e.what)][s];
            list.push_back(
                {field, {name, wireshark_group(e.expert), wireshark_severity[s], title, EXPFILL}});
        }
    }
    expert_register_field_array(expert_register_protocol(proto), list.data(),
                                static_cast<int>(list.size()));
}

void add_expert(packet_info* pinfo, proto_item* item, findings::code what, findings::severity level,
                const char* text) {
    expert_field* field =
        &known.fields[static_cast<std::size_t>(what)][static_cast<std::size_t>(level)];
    if (field->ei == EI_INIT_EI) return;  // of a protocol that is not shown here
    expert_add_info_format(pinfo, item, field, "%s", text);
}

}  // namespace cdcscope
