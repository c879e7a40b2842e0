#include "analyzer/sink/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace cdcscope::sink {
namespace {

// RFC 3339 with milliseconds, UTC. The whole second rarely changes from one record to the next.
void append_timestamp(std::string& out, std::int64_t ms) {
    const auto seconds = static_cast<std::time_t>(ms / 1000);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
                   utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                   utc.tm_sec, ms % 1000);
}

}  // namespace

status json_lines_sink::write(const record& r) {
    auto at = sequences_.find(r.key);
    if (at == sequences_.end()) at = sequences_.emplace(r.key, 0).first;
    const std::uint64_t sequence = ++at->second;
    // As in a .ss file: time never goes back.
    last_ms_ = std::max(last_ms_, r.time_ns / 1'000'000);
    line_.clear();
    fmt::format_to(std::back_inserter(line_), R"({{"stream":"{}","sequence":{},"timestamp":")",
                   r.key, sequence);
    append_timestamp(line_, last_ms_);
    line_.push_back('"');
    if (r.is_json) {
        const std::string_view payload = as_text(r.payload);
        if (payload != "{}") line_.push_back(',');
        line_.append(payload.substr(1));
    } else {
        raw_.clear();
        raw_.begin_object().name("raw").base64(r.payload).end_object();
        line_.push_back(',');
        line_.append(raw_.text().substr(1));
    }
    line_.push_back('\n');
    return out_.write(as_bytes(line_));
}

status json_lines_sink::finish(bool /*whole*/) {
    return out_.commit();
}

status json_lines_sink::end(bool /*whole*/) {
    return out_.flush();
}

status json_lines_sink::publish() {
    return out_.publish();
}

}  // namespace cdcscope::sink
