// `ss cat`: the messages, for people and pipes.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

#include "analyzer/cli/command.h"
#include "analyzer/cli/signals.h"
#include "analyzer/cli/ss_commands.h"
#include "analyzer/cli/ss_damage.h"
#include "analyzer/cli/ss_files.h"
#include "analyzer/cli/terminal.h"
#include "proto/findings/words.h"
#include "proto/json/base64.h"
#include "proto/json/json_document.h"
#include "proto/json/json_writer.h"
#include "proto/ss/seek.h"
#include "proto/wire/utf8.h"

namespace cdcscope::cli {
namespace {

using findings::grouped;

using namespace std::chrono_literals;

constexpr auto poll_interval = 100ms;
// Larger payloads are printed as what they surely are, bytes: finding out whether they are text
// would need them in memory.
constexpr std::uint32_t max_text = 64U << 20;

// One message as text.
class message_printer {
  public:
    message_printer(ss_lines& out, cat_format format) : out_(out), format_(format) {}

    void print(ss::reader& from) {
        if (format_ == cat_format::raw) return raw(from);
        line_.clear();
        if (format_ == cat_format::log) {
            log(from);
        } else {
            json(from);
        }
    }

  private:
    void raw(ss::reader& from) {
        ss::reader::payload_cursor c = from.payload();
        for (byte_view p = from.next_piece(c); !p.empty(); p = from.next_piece(c)) out_.put(p);
    }

    void log(ss::reader& from) {
        const ss::message& m = from.current();
        fmt::format_to(std::back_inserter(line_), "[{} | {}", ss_time(m.at.timestamp_ms), m.at.key);
        if (m.at.shard != 0) fmt::format_to(std::back_inserter(line_), "/{}", m.at.shard);
        fmt::format_to(std::back_inserter(line_), " | {}] ", m.at.sequence);
        const byte_view payload = m.size <= max_text ? from.whole_payload(scratch_) : byte_view{};
        if (m.size > max_text || !is_utf8(payload)) {
            fmt::format_to(std::back_inserter(line_), "<{} B, not text>", grouped(m.size));
        } else {
            line_ += printable(as_text(payload));
        }
        line_.push_back('\n');
        out_.put(line_);
    }

    // The payload with the fields of its header in front; an object's own fields follow flat.
    void json(ss::reader& from) {
        const ss::message& m = from.current();
        fmt::format_to(std::back_inserter(line_), R"({{"stream":"{}",)", m.at.key);
        if (m.at.shard != 0)
            fmt::format_to(std::back_inserter(line_), R"("shard":{},)", m.at.shard);
        fmt::format_to(std::back_inserter(line_), R"("sequence":{},"timestamp":"{}",)",
                       m.at.sequence, ss_time(m.at.timestamp_ms));
        if (m.size > max_text) return large_json(from);
        const byte_view payload = from.whole_payload(scratch_);
        document_.clear();
        if (append_compact_json(document_, payload)) {
            put_document();
        } else if (is_utf8(payload)) {
            json_.clear();
            json_.begin_object().field("text", as_text(payload)).end_object();
            line_ += json_.text().substr(1);
        } else {
            line_ += R"("raw":")";
            append_base64(line_, payload);
            line_ += "\"}";
        }
        line_.push_back('\n');
        out_.put(line_);
    }

    void put_document() {
        if (document_.front() != '{') {
            fmt::format_to(std::back_inserter(line_), R"("payload":{}}})", document_);
        } else if (document_ == "{}") {
            line_.back() = '}';
        } else {
            line_.append(document_, 1);
        }
    }

    // Base64 in pieces: three bytes make four characters, so what is left of a piece waits for the
    // next one.
    void large_json(ss::reader& from) {
        line_ += R"("raw":")";
        scratch_.clear();
        ss::reader::payload_cursor c = from.payload();
        for (byte_view p = from.next_piece(c); !p.empty(); p = from.next_piece(c)) {
            scratch_.insert(scratch_.end(), p.begin(), p.end());
            const std::size_t whole = scratch_.size() / 3 * 3;
            append_base64(line_, byte_view(scratch_).first(whole));
            scratch_.erase(scratch_.begin(), scratch_.begin() + static_cast<std::ptrdiff_t>(whole));
            out_.put(line_);
            line_.clear();
        }
        append_base64(line_, scratch_);
        line_ += "\"}\n";
        out_.put(line_);
    }

    ss_lines& out_;
    cat_format format_;
    std::string line_;
    std::string document_;
    json_writer json_;
    std::vector<std::uint8_t> scratch_;
};

class cat {
  public:
    cat(const ss_cat_options& o, sink::ss_file_source& source)
        : options_(o), source_(source), printer_(out_, o.format) {}

    int run() {
        if (options_.follow && !wait_for_header()) return stop_status();
        const ss_header h = read_ss_header(source_);
        reader_.emplace(source_, h.interval);
        position();
        while (stop_signal() == 0 && !out_.gone() && step()) {
        }
        out_.flush();
        if (out_.gone()) return exit_status::done;
        if (stop_signal() != 0) return stop_status();
        if (damage_.count() == 0 && looked_for_nothing()) {
            throw ss_failure{
                fmt::format("{}: has no stream {}; cdcscope ss info lists those it has",
                            options_.file, printable(options_.key))};
        }
        if (damage_.count() == 0) return exit_status::done;
        damage_.print(source_, good_);
        return exit_status::demanded;
    }

  private:
    bool step() {
        switch (reader_->next()) {
            case ss::item::message:
                take();
                return true;
            case ss::item::beacon:
                return true;
            case ss::item::end:
                return !reader_->eos_seen() && wait();
            case ss::item::broken:
                return broken();
        }
        return false;
    }

    // A frame that is cut off may just not be written yet.
    bool broken() {
        const ss::fault what = reader_->broken().what;
        const bool unfinished = what == ss::fault::message_cut || what == ss::fault::beacon_cut;
        if (unfinished && wait()) return true;
        if (stop_signal() == 0) damage_.add(reader_->broken());
        return false;
    }

    // For a file that grows. False: there is nothing to wait for.
    bool wait() {
        if (!options_.follow) return false;
        out_.flush();
        std::this_thread::sleep_for(poll_interval);
        if (source_.size() < reader_->offset()) {
            throw ss_failure{
                fmt::format("{}: got shorter than what was read ({} B); somebody "
                            "writes it anew, start again",
                            options_.file, grouped(reader_->offset()))};
        }
        return stop_signal() == 0;
    }

    bool wait_for_header() {
        while (source_.size() < ss::header_size) {
            std::this_thread::sleep_for(poll_interval);
            if (stop_signal() != 0) return false;
        }
        return true;
    }

    // Limits that count from the first message, and a start by the beacons where one stream is
    // wanted.
    void position() {
        if (options_.since || options_.until) resolve_times();
        if (options_.key.empty()) return;
        using by = ss::seek_target::by;
        ss::seek_target target{options_.key, std::nullopt, by::sequence, 0};
        if (options_.from) {
            target.value = *options_.from;
        } else if (since_ms_ && *since_ms_ > 0) {
            target.what = by::time;
            target.value = *since_ms_ - 1;
        } else {
            return;
        }
        const auto start = ss::seek(source_, reader_->interval(), target);
        if (start) reader_->go_to(*start);
    }

    void resolve_times() {
        ss::reader first(source_, reader_->interval());
        std::int64_t first_ns = 0;
        for (ss::item i = first.next(); i == ss::item::message || i == ss::item::beacon;
             i = first.next()) {
            if (i == ss::item::beacon || ss::is_reserved_key(first.current().at.key)) continue;
            first_ns = static_cast<std::int64_t>(first.current().at.timestamp_ms) * 1'000'000;
            break;
        }
        const auto ms = [&](const time_bound& t, bool up) {
            const std::int64_t ns = std::max<std::int64_t>(t.resolve(first_ns), 0);
            return static_cast<std::uint64_t>(ns / 1'000'000 + (up && ns % 1'000'000 != 0 ? 1 : 0));
        };
        if (options_.since) since_ms_ = ms(*options_.since, true);
        if (options_.until) until_ms_ = ms(*options_.until, false);
    }

    void take() {
        const ss::message& m = reader_->current();
        if (m.checksum_ok() && !m.eos) ++good_;
        note_damage(m);
        key_seen_ = key_seen_ || m.at.key == options_.key;
        if (wanted(m.at)) printer_.print(*reader_);
    }

    // Where the beacons showed a way, the stream is there.
    [[nodiscard]] bool looked_for_nothing() const {
        return !options_.key.empty() && !key_seen_ && !options_.from && !options_.since;
    }

    [[nodiscard]] bool wanted(const ss::label& l) const {
        if (!options_.all && ss::is_reserved_key(l.key)) return false;
        if (!options_.key.empty() && l.key != options_.key) return false;
        if (options_.from && l.sequence < *options_.from) return false;
        if (since_ms_ && l.timestamp_ms < *since_ms_) return false;
        return !until_ms_ || l.timestamp_ms <= *until_ms_;
    }

    void note_damage(const ss::message& m) {
        if (m.checksum_ok() && m.end_mark_ok && !m.at.key.empty()) return;
        ss::problem p;
        p.what = !m.checksum_ok() ? ss::fault::checksum
                 : !m.end_mark_ok ? ss::fault::message_end_mark
                                  : ss::fault::key_empty;
        p.offset = m.offset;
        p.stored = m.stored;
        p.computed = m.computed;
        p.at = m.at;
        damage_.add(p);
    }

    const ss_cat_options& options_;
    sink::ss_file_source& source_;
    ss_lines out_;
    message_printer printer_;
    std::optional<ss::reader> reader_;
    std::optional<std::uint64_t> since_ms_, until_ms_;
    damage_list damage_;
    bool key_seen_ = false;
    std::uint64_t good_ = 0;
};

}  // namespace

int ss_cat(const ss_cat_options& o) {
    const auto source = open_ss(o.file);
    return cat(o, *source).run();
}

}  // namespace cdcscope::cli
