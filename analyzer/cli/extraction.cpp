#include "analyzer/cli/extraction.h"

#include <fmt/format.h>

#include "analyzer/capture/link_names.h"
#include "proto/canal/view.h"
#include "proto/findings/finding_json.h"
#include "proto/findings/words.h"

namespace cdcscope::cli {
namespace {

constexpr std::string_view capture_key = "cdcscope.capture";
constexpr std::string_view findings_key = "cdcscope.findings";

std::string_view payload_name(record::payload_mode p) {
    constexpr std::string_view names[] = {"json", "raw", "both"};
    return names[static_cast<std::size_t>(p)];
}

std::string_view layout_name(record::layout l) {
    constexpr std::string_view names[] = {"connection", "changes", "vbucket"};
    return names[static_cast<std::size_t>(l)];
}

bool is_open_request(const dcp::connection_names& names) {
    return !names.connection_name().empty();
}

}  // namespace

extraction::extraction(const extract_options& o, track::figures& figures)
    : options_(o), figures_(figures), output_(o) {}

sink::status extraction::open(const capture::reader& captures) {
    captures_ = &captures;
    record::options records = options_.records;
    records.several_captures = captures.names().size() > 1;
    const std::span<const std::string> files =
        records.several_captures ? std::span(captures.names()) : std::span<const std::string>{};
    dcp_.emplace(records, files);
    canal_.emplace(records, files);
    json_.int64_as_strings(records.int64_as_strings);
    return output_.open();
}

bool extraction::reader_gone() const noexcept {
    return output_.reader_gone();
}

bool extraction::chosen(std::int64_t time_ns) {
    if (!bounds_known_ && captures_->first().seen) {
        const std::int64_t first = captures_->first().time_ns;
        if (options_.common.since) since_ns_ = options_.common.since->resolve(first);
        if (options_.common.until) until_ns_ = options_.common.until->resolve(first);
        bounds_known_ = true;
    }
    return time_ns >= since_ns_ && time_ns <= until_ns_;
}

// ---- records

void extraction::write(std::uint32_t connection, const record::entry& e) {
    if (!failure_.ok() || output_.reader_gone()) return;
    begin_file(connection);
    if (!failure_.ok()) return;
    last_ns_ = std::max(last_ns_, e.time_ns);
    failure_ = output_.write(connection, e);
}

void extraction::write_own(std::uint32_t connection, std::string_view key, std::int64_t time_ns) {
    write(connection, {.key = key, .time_ns = time_ns, .payload = as_bytes(json_.text())});
}

void extraction::begin_file(std::uint32_t connection) {
    if (!output_.is_new(connection)) return;
    const capture::first_packet& first = captures_->first();
    output_.created(connection, first.time_ns);
    origin_.clear();
    origin_.begin_object().field("record", "capture");
    const auto& names = captures_->names();
    origin_.field("file", std::string_view(names.empty() ? std::string() : names.front()));
    if (names.size() > 1) {
        origin_.name("files").begin_array();
        for (const std::string& name : names) origin_.string(name);
        origin_.end_array();
    }
    origin_.field("format", captures_->format());
    if (first.seen)
        origin_.field("linkType", std::string_view(capture::link_type_code(first.link_type)));
    if (first.seen && first.has_time) {
        origin_.field("firstPacket", std::string_view(findings::rfc3339(first.time_ns)));
    }
    origin_.field("tool", "cdcscope " CDCSCOPE_VERSION)
        .field("payload", payload_name(options_.records.payload))
        .field("streams", layout_name(options_.records.streams))
        .field("layout", 1)
        .end_object();
    write(connection,
          {.key = capture_key, .time_ns = first.time_ns, .payload = as_bytes(origin_.text())});
}

void extraction::begin_announcement(std::string_view key, std::string_view kind,
                                    std::uint32_t connection) {
    json_.clear();
    json_.begin_object().field("record", "stream").field("key", key).field("kind", kind);
    const recover::connection_info& info = figures_.connection(connection).info;
    json_.field("client", std::string_view(capture::to_string(info.client)))
        .field("server", std::string_view(capture::to_string(info.server)));
    ++counts_.streams;
}

void extraction::announce_dcp(const record::dcp_stream& s, const dcp::connection_names& names,
                              std::int64_t time_ns) {
    begin_announcement(s.key, s.kind, s.connection);
    const std::string_view full = names.connection_name();
    const bool of_connection = options_.records.streams == record::layout::connection;
    json_.text_or_base64(
        "name", as_bytes(of_connection && !full.empty() ? full : std::string_view(s.name)));
    if (!names.bucket().empty()) json_.text_or_base64("bucket", as_bytes(names.bucket()));
    json_.end_object();
    write_own(s.connection, capture_key, time_ns);
}

void extraction::announce_canal(const record::canal_stream& s, std::int64_t time_ns) {
    begin_announcement(s.key, s.kind, s.connection);
    json_.text_or_base64("name", as_bytes(s.name));
    if (!s.destination.empty()) json_.text_or_base64("destination", as_bytes(s.destination));
    json_.end_object();
    write_own(s.connection, capture_key, time_ns);
}

// ---- what was recovered

void extraction::on_connection(const recover::connection_info& c) {
    figures_.add(c);
}
void extraction::on_protocol(const recover::connection_info& c) {
    figures_.add(c);
}

void extraction::on_totals(std::uint32_t connection, const recover::direction_totals& c2s,
                           const recover::direction_totals& s2c) {
    figures_.connection(connection).ways[0] = c2s;
    figures_.connection(connection).ways[1] = s2c;
}

void extraction::on_dcp(const recover::message& m, const dcp::track_record& said,
                        const dcp::connection& state) {
    const record::message_type type = types_.of(m);
    if (!m.cut) figures_.count(type.name, type.response);
    if (type.tells_dcp) figures_.connection(m.connection).speaks_dcp = true;
    if (!chosen(m.frames.done.time_ns)) return;
    const auto made = dcp_->record(m, said, state);
    if (!made) return;
    ++counts_.messages;
    for (; dcp_announced_ < dcp_->streams().size(); ++dcp_announced_) {
        announce_dcp(dcp_->streams()[dcp_announced_], state, made->time_ns);
    }
    write(m.connection, *made);
    if (is_open_request(state) && named_.insert(m.connection).second) {
        track::connection_figures& figures = figures_.connection(m.connection);
        figures.name = state.connection_name();
        if (options_.records.streams == record::layout::connection) {
            announce_dcp({.key = std::string(made->key),
                          .kind = "dcp",
                          .connection = m.connection,
                          .name = ""},
                         state, m.frames.done.time_ns);
            --counts_.streams;
        }
    }
}

void extraction::on_canal(const recover::message& m, const canal::track_record& said,
                          const canal::world& state) {
    world_ = &state;
    const record::message_type type = types_.of(m);
    figures_.count(type.name, false);
    if (said.key != 0) {
        const canal::key_info key = state.key(said.key);
        std::string& name = figures_.connection(m.connection).name;
        if (name.empty() && key.destination != 0) {
            name = fmt::format("{} / {}", state.destination(key.destination).name, key.client_id);
        }
    }
    if (!chosen(m.frames.done.time_ns)) return;
    ++counts_.messages;
    from_ = m.connection;
    canal_->record(m, said, state, *this);
}

void extraction::on_entry(const record::entry& e, const record::canal_stream& of) {
    for (; canal_announced_ < canal_->streams().size(); ++canal_announced_) {
        announce_canal(canal_->streams()[canal_announced_], e.time_ns);
    }
    if (of.kind == "canal.rows") {
        ++counts_.rows;
    } else if (of.kind == "canal.transactions") {
        ++counts_.transactions;
    } else {
        ++counts_.packets;
    }
    write(from_, e);
}

void extraction::on_finding(const findings::finding& f) {
    if (!chosen(f.at.time_ns)) return;
    ++counts_.findings;
    json_.clear();
    json_.begin_object().field("record", "finding");
    findings::write_members(json_, findings::redacted(f, redaction_of(options_.records.redact)));
    json_.end_object();
    write_own(f.connection, findings_key, f.at.time_ns);
}

void extraction::on_closed(std::uint32_t connection, recover::end_kind /*how*/, const frame_ref& at,
                           const dcp::connection* /*state*/) {
    figures_.connection(connection).last = at;
    from_ = connection;
    if (world_ != nullptr) canal_->close(connection, *world_, *this);
}

// ---- the end

void extraction::write_summary(std::uint32_t file) {
    const recover::direction_totals sum = file == 0 ? figures_.totals() : figures_.totals(file);
    json_.clear();
    json_.begin_object()
        .field("record", "summary")
        .field("messages", sum.messages)
        .field("messageBytes", sum.message_bytes)
        .field("gaps", sum.gaps)
        .field("gapBytes", sum.gap_bytes)
        .field("unparsedBytes", sum.unparsed_bytes)
        .field("duplicateBytes", sum.duplicate_bytes)
        .field("cutMessages", sum.cut_messages)
        .end_object();
    write_own(file, capture_key, last_ns_);
}

sink::status extraction::finish(bool whole) {
    if (failure_.ok() && !options_.split_connections) begin_file(0);
    for (const std::uint32_t file : output_.open_files()) write_summary(file);
    using ending = extract_output::ending;
    sink::status done = output_.finish(!failure_.ok() ? ending::failed
                                       : whole        ? ending::whole
                                                      : ending::interrupted);
    if (failure_.ok()) failure_ = done;
    const std::size_t files = output_.paths().size();
    if (!failure_.ok() && options_.split_connections && files > 1) {
        failure_.error +=
            fmt::format(". None of the {} files got its name; NAME.part holds what was written",
                        findings::grouped(files));
    }
    return failure_;
}

}  // namespace cdcscope::cli
