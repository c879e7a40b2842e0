// `ss info`: header, streams with their numbers and times, beacons, size and end of a .ss file.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyzer/cli/command.h"
#include "analyzer/cli/ss_commands.h"
#include "analyzer/cli/ss_damage.h"
#include "analyzer/cli/ss_files.h"
#include "analyzer/cli/terminal.h"
#include "proto/findings/words.h"
#include "proto/json/json_writer.h"
#include "proto/ss/verifier.h"

namespace cdcscope::cli {
namespace {

using findings::grouped;

struct stream_info {
    std::uint64_t messages = 0;
    std::uint64_t payload_bytes = 0;
    std::uint64_t first = 0, last = 0;        // numbers, as they stand in the file
    std::uint64_t first_ms = 0, last_ms = 0;  // times, likewise
};

class collector final : public ss::visitor {
  public:
    // Above this number streams are counted as one: a file can be made of nothing else.
    static constexpr std::size_t max_streams = std::size_t{1} << 20;

    void on_header(const ss::header& h) override {
        header = {std::string(h.file_name), h.created_ms, h.interval};
    }
    void on_message(ss::reader& at) override {
        const ss::message& m = at.current();
        stream_info& s = stream_of(m.at);
        if (s.messages++ == 0) {
            s.first = m.at.sequence;
            s.first_ms = m.at.timestamp_ms;
        }
        s.payload_bytes += m.size;
        s.last = m.at.sequence;
        s.last_ms = m.at.timestamp_ms;
    }
    void on_problem(const ss::problem& p) override { damage.add(p); }

    ss_header header;
    std::map<std::pair<std::string, std::uint64_t>, stream_info> streams;
    damage_list damage;

  private:
    stream_info& stream_of(const ss::label& l) {
        id_.first.assign(l.key);
        id_.second = l.shard;
        if (last_ != nullptr && id_ == last_->first) return last_->second;
        auto found = streams.find(id_);
        if (found == streams.end()) {
            if (streams.size() >= max_streams) id_ = {"(others)", 0};
            found = streams.try_emplace(id_).first;
        }
        last_ = &*found;
        return last_->second;
    }

    std::pair<std::string, std::uint64_t> id_;
    decltype(streams)::value_type* last_ = nullptr;
};

std::string as_json(const collector& c, const ss::walk_summary& sum) {
    json_writer json;
    json.begin_object()
        .field("fileName", c.header.file_name)
        .field("created", ss_time(c.header.created_ms))
        .field("beaconInterval", c.header.interval)
        .field("size", sum.size)
        .field("messages", sum.messages)
        .field("beacons", sum.beacons)
        .field("eos", sum.eos)
        .field("trailingBytes", sum.trailing())
        .field("problems", sum.problems)
        .name("streams")
        .begin_array();
    for (const auto& [id, s] : c.streams) {
        json.begin_object()
            .field("key", id.first)
            .field("shard", id.second)
            .field("messages", s.messages)
            .field("payloadBytes", s.payload_bytes)
            .field("firstSequence", s.first)
            .field("lastSequence", s.last)
            .field("firstTime", ss_time(s.first_ms))
            .field("lastTime", ss_time(s.last_ms))
            .end_object();
    }
    json.end_array().end_object();
    return std::string(json.text()) + "\n";
}

// "1 recovered (118 messages), 2 on the capture and the findings (28), SeaStreamer's own (1)": what
// `extract` counts, and what stands beside it. Nothing of a file that another program wrote.
std::string kinds_of_streams(const collector& c) {
    struct sums {
        std::uint64_t streams = 0, messages = 0;
    };
    sums recovered;
    sums beside;
    sums internal;
    for (const auto& [id, s] : c.streams) {
        auto& kind = ss::is_reserved_key(id.first)       ? internal
                     : id.first.starts_with("cdcscope.") ? beside
                                                         : recovered;
        ++kind.streams;
        kind.messages += s.messages;
    }
    if (beside.streams == 0) return {};
    std::string text = fmt::format("{} recovered ({} {}), {} on the capture and the findings ({})",
                                   grouped(recovered.streams), grouped(recovered.messages),
                                   recovered.messages == 1 ? "message" : "messages",
                                   grouped(beside.streams), grouped(beside.messages));
    if (internal.streams > 0)
        text += fmt::format(", SeaStreamer's own ({})", grouped(internal.messages));
    return text;
}

void print_text(ss_lines& out, const std::string& file, const collector& c,
                const ss::walk_summary& sum) {
    const std::size_t markers = ss::marker_capacity(c.header.interval);
    out.put(fmt::format("{}\n", printable(file)));
    out.put(fmt::format("  name in header   {}\n", printable(c.header.file_name)));
    out.put(fmt::format("  created          {}\n", ss_time(c.header.created_ms)));
    out.put(fmt::format("  size             {} B, {} messages\n", grouped(sum.size),
                        grouped(sum.messages)));
    if (const std::string kinds = kinds_of_streams(c); !kinds.empty())
        out.put(fmt::format("  streams          {}\n", kinds));
    out.put(fmt::format(
        "  beacons          {}, every {} B, {}\n", grouped(sum.beacons), grouped(c.header.interval),
        markers == 0 ? "without an index" : fmt::format("each names up to {} streams", markers)));
    out.put(fmt::format("  end of stream    {}\n\n", sum.eos ? "yes" : "no"));
    std::size_t width = 6;
    for (const auto& [id, s] : c.streams) width = std::max(width, id.first.size());
    width = std::min<std::size_t>(width, 60);
    out.put(fmt::format("  {:<{}}  {:>5}  {:>12}  {:>25}  {:<24}  {}\n", "stream", width, "shard",
                        "messages", "numbers", "first", "last"));
    for (const auto& [id, s] : c.streams) {
        out.put(fmt::format("  {:<{}}  {:>5}  {:>12}  {:>25}  {:<24}  {}\n", id.first, width,
                            id.second, grouped(s.messages),
                            fmt::format("{} to {}", s.first, s.last), ss_time(s.first_ms),
                            ss_time(s.last_ms)));
    }
}

}  // namespace

int ss_info(const ss_info_options& o) {
    const auto source = open_ss(o.file);
    (void)read_ss_header(*source);
    collector c;
    const ss::walk_summary sum = ss::walk(*source, c);
    ss_lines out;
    if (o.json) {
        out.put(as_json(c, sum));
    } else {
        print_text(out, o.file, c, sum);
    }
    out.flush();
    if (c.damage.count() == 0) return exit_status::done;
    c.damage.print(*source, sum.good());
    return exit_status::demanded;
}

}  // namespace cdcscope::cli
