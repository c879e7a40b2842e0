// JSON of a finding.
#include "proto/findings/finding_json.h"

#include <array>
#include <cstdio>
#include <ctime>

#include "proto/findings/table.h"

namespace cdcscope::findings {
namespace {

struct value_writer {
    json_writer& json;
    std::string_view name;

    void operator()(bool v) const { json.field(name, v); }
    void operator()(std::uint64_t v) const { json.name(name).int64(v); }
    void operator()(std::int64_t v) const { json.name(name).int64(v); }
    void operator()(double v) const { json.field(name, v); }
    void operator()(const std::string& v) const { json.text_or_base64(name, as_bytes(v)); }
    void operator()(const std::vector<std::uint64_t>& values) const {
        json.name(name).begin_array();
        for (const std::uint64_t v : values) json.int64(v);
        json.end_array();
    }
};

}  // namespace

std::string rfc3339(std::int64_t time_ns) {
    constexpr std::int64_t second = 1'000'000'000;
    std::int64_t seconds = time_ns / second;
    std::int64_t fraction = time_ns % second;
    if (fraction < 0) {
        fraction += second;
        --seconds;
    }
    const auto t = static_cast<std::time_t>(seconds);
    std::tm utc{};
    gmtime_r(&t, &utc);
    std::array<char, 64> text{};
    const int size =
        std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%09lldZ",
                      utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                      utc.tm_sec, static_cast<long long>(fraction));
    return {text.data(), static_cast<std::size_t>(size)};
}

void write_members(json_writer& json, const finding& f) {
    const entry& row = entry_of(f.what);
    json.field("code", row.text);
    if (!row.rule.empty()) json.field("rule", row.rule);
    json.field("severity", name(f.level));
    if (f.uncertain) json.field("uncertain", true);
    if (f.connection != 0) json.field("connection", f.connection);
    json.name("frames").begin_array();
    json.number(f.first.frame != 0 ? f.first.frame : f.at.frame);
    json.number(f.at.frame);
    json.end_array();
    json.field("time", rfc3339(f.at.time_ns));
    for (const figure& each : f.figures) std::visit(value_writer{json, each.name}, each.value);
    json.field("text", f.text);
}

void write_json(json_writer& json, const finding& f, std::uint64_t count) {
    json.begin_object();
    write_members(json, f);
    if (count != 0) json.field("count", count);
    json.end_object();
}

}  // namespace cdcscope::findings
