#include "analyzer/cli/extract_output.h"

#include <fmt/format.h>

#include <array>

#include "analyzer/cli/inputs.h"
#include "analyzer/report/format.h"
#include "proto/findings/finding_json.h"

namespace cdcscope::cli {
namespace {

constexpr std::string_view capture_key = "cdcscope.capture";
constexpr std::size_t most_held = 4096;  // a file can be made of nothing else

// A member of the first record of a file, which says how it was written; it is ours, and names in
// it are escaped.
std::string_view member_of(byte_view record, std::string_view name) {
    const std::string_view text = as_text(record);
    const std::string before = fmt::format(R"(,"{}":")", name);
    const auto at = text.find(before);
    if (at == std::string_view::npos) return {};
    const auto value = text.substr(at + before.size());
    return value.substr(0, value.find('"'));
}

// Why this run cannot go on in a file whose first record this is; nothing if it can.
std::string objection_to(const record::options& mine, std::string_view key, byte_view payload) {
    if (key != capture_key) return {};
    constexpr std::array<std::string_view, 3> forms{"json", "raw", "both"};
    constexpr std::array<std::string_view, 3> layouts{"connection", "changes", "vbucket"};
    const auto differs = [&](std::string_view option, std::string_view here) -> std::string {
        const auto there = member_of(payload, option);
        if (there.empty() || there == here) return {};
        return fmt::format("written with --{0} {1}, this run is --{0} {2}", option, there, here);
    };
    auto said = differs("payload", forms[static_cast<std::size_t>(mine.payload)]);
    if (said.empty()) said = differs("streams", layouts[static_cast<std::size_t>(mine.streams)]);
    return said;
}

}  // namespace

extract_output::extract_output(const extract_options& o)
    : options_(o), name_(output_name(o)), format_(format_of(o, name_)) {}

sink::status extract_output::open_target(const std::string& path, target& t) {
    if (std::string why = is_read(path, options_.common.captures); !why.empty()) return {why};
    if (format_ == output_format::ss) {
        auto file = std::make_unique<sink::ss_file_sink>();
        sink::ss_file_options chosen;
        chosen.path = path;
        chosen.force = options_.force;
        chosen.append = options_.append;
        chosen.interval = options_.beacon_interval;
        chosen.limit = options_.limit;
        chosen.roll = options_.roll;
        chosen.eos = !options_.no_eos;
        chosen.created_ns = options_.created_ns;
        chosen.may_append = [mine = options_.records](std::string_view key, byte_view payload) {
            return objection_to(mine, key, payload);
        };
        chosen.watched_key = capture_key;
        chosen.on_watched = [this, path](byte_view payload) {
            if (!as_text(payload).starts_with("{\"record\":\"capture\"")) return;
            const auto begins = member_of(payload, "firstPacket");
            if (!begins.empty() && held_.size() < most_held) held_.emplace(begins, path);
        };
        if (sink::status opened = file->open(std::move(chosen)); !opened.ok()) return opened;
        if (options_.split_connections) file->stay_closed();
        if (created_ns_ != 0) file->created(created_ns_);
        t.ss = file.get();
        t.sink = std::move(file);
    } else {
        if (options_.append) return {path + ": --append continues .ss files only; -o NAME.ss"};
        sink::output_file file;
        const auto existing = options_.force ? sink::output_file::existing::replace
                                             : sink::output_file::existing::refuse;
        if (sink::status opened = file.open(path, existing); !opened.ok()) return opened;
        if (options_.split_connections) file.stay_closed();
        auto lines = std::make_unique<sink::json_lines_sink>(std::move(file));
        t.lines = lines.get();
        t.sink = std::move(lines);
    }
    paths_.push_back(path);
    return {};
}

void extract_output::created(std::uint32_t connection, std::int64_t first_packet_ns) {
    created_ns_ = first_packet_ns;
    if (target& t = targets_[file_of(connection)]; t.ss != nullptr) t.ss->created(first_packet_ns);
}

sink::status extract_output::open() {
    if (options_.split_connections) return {};
    return open_target(name_, targets_[0]);
}

bool extract_output::is_new(std::uint32_t connection) {
    target& t = targets_[file_of(connection)];
    const bool first = !t.begun;
    t.begun = true;
    return first;
}

sink::status extract_output::write(std::uint32_t connection, const sink::record& r) {
    target& t = targets_[file_of(connection)];
    if (!t.sink) {
        if (sink::status opened = open_target(split_name(name_, connection), t); !opened.ok())
            return opened;
    }
    return t.sink->write(r);
}

sink::status extract_output::finish(ending how) {
    const bool whole = how == ending::whole;
    if (options_.split_connections) return finish_all(whole, how != ending::failed);
    target& one = targets_[0];
    return one.sink ? one.sink->finish(whole) : sink::status{};
}

// The system is asked twice to store what it has, not twice a file.
sink::status extract_output::finish_all(bool whole, bool publish) {
    sink::status first;
    const auto each = [&](auto&& act) {
        for (auto& [connection, t] : targets_) {
            if (!t.sink) continue;
            sink::status done = act(*t.sink);
            if (first.ok()) first = std::move(done);
        }
    };
    each([&](sink::record_sink& s) { return s.end(whole); });
    if (!publish || paths_.empty()) return first;
    if (first.ok()) first = sink::sync_folder(name_);
    if (!first.ok()) return first;
    each([](sink::record_sink& s) { return s.publish(); });
    return first.ok() ? sink::sync_folder(name_) : first;
}

bool extract_output::reader_gone() const noexcept {
    const auto one = targets_.find(0);
    if (one == targets_.end()) return false;
    return (one->second.lines != nullptr && one->second.lines->reader_gone()) ||
           (one->second.ss != nullptr && one->second.ss->reader_gone());
}

std::size_t extract_output::files() const noexcept {
    std::size_t sum = 0;
    for (const auto& [connection, t] : targets_) {
        if (t.sink) sum += t.ss == nullptr ? 1 : t.ss->paths().size();
    }
    return sum;
}

std::string extract_output::written() const {
    if (to_standard_output()) return "the output";
    if (paths_.empty()) return "nothing";
    if (!options_.split_connections) {
        const auto one = targets_.find(0);
        const bool rolled = one != targets_.end() && one->second.ss != nullptr &&
                            one->second.ss->paths().size() > 1;
        return rolled ? paths_.front() + " to " + one->second.ss->paths().back() : paths_.front();
    }
    return files() > 1 ? fmt::format("{} and {}", paths_.front(),
                                     report::plain_spaces(report::count(files() - 1, "more file")))
                       : paths_.front();
}

// A capture that a continued file has already; it may have been another part of it.
std::string extract_output::written_twice() const {
    if (created_ns_ == 0) return {};
    const auto begins = findings::rfc3339(created_ns_);
    std::vector<std::string_view> files;
    for (const auto& [time, path] : held_) {
        if (time == begins) files.push_back(path);
    }
    if (files.empty()) return {};
    const auto more = files.size() - 1;
    return report::plain_spaces(fmt::format(
        "{}{}: --append went on in what already holds a capture with this first packet ({}); what "
        "both runs have is in it twice",
        files.front(), more == 0 ? "" : fmt::format(" and {}", report::count(more, "more file")),
        begins));
}

std::vector<std::string> extract_output::notes() const {
    std::vector<std::string> all;
    for (const auto& [connection, t] : targets_) {
        if (t.ss != nullptr) all.insert(all.end(), t.ss->notes().begin(), t.ss->notes().end());
    }
    if (auto twice = written_twice(); !twice.empty()) all.push_back(std::move(twice));
    return all;
}

std::uint64_t extract_output::refused() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& [connection, t] : targets_) {
        if (t.ss != nullptr) sum += t.ss->figures().refused;
    }
    return sum;
}

std::vector<std::uint32_t> extract_output::open_files() const {
    std::vector<std::uint32_t> all;
    for (const auto& [connection, t] : targets_) {
        if (t.sink) all.push_back(connection);
    }
    return all;
}

}  // namespace cdcscope::cli
