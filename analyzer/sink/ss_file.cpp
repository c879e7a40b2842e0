#include "analyzer/sink/ss_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "proto/findings/words.h"
#include "proto/ss/restore.h"
#include "proto/ss/salvage.h"
#include "proto/wire/utf8.h"

namespace cdcscope::sink {
namespace {

using findings::bytes_text;
using findings::grouped;
namespace fs = std::filesystem;

constexpr std::int64_t ms_ns = 1'000'000;

// Capture time as the format counts it; what is out of its range goes to the nearest end.
std::uint64_t clamped_ms(std::int64_t time_ns) noexcept {
    if (time_ns < 0) return 0;
    return std::min(static_cast<std::uint64_t>(time_ns / ms_ns), ss::max_timestamp_ms);
}

// Only counts: how long would the file get?
class counting_output final : public ss::output {
  public:
    [[nodiscard]] bool put(byte_view) override { return true; }
};

// x.ss, x.2.ss, x.3.ss ...
std::string rolled_name(const std::string& path, std::uint64_t number) {
    if (number == 1) return path;
    const fs::path p(path);
    fs::path name = p.stem();
    name += fmt::format(".{}{}", number, p.extension().string());
    return (p.parent_path() / name).string();
}

// Numbers of the pieces of `path` above `number` that are there, in order.
std::vector<std::uint64_t> pieces_behind(const std::string& path, std::uint64_t number) {
    const fs::path p(path);
    const std::string before = p.stem().string() + ".", behind = p.extension().string();
    std::vector<std::uint64_t> found;
    std::error_code error;
    const fs::path folder = p.parent_path();
    fs::directory_iterator entry(folder.empty() ? "." : folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.size() <= before.size() + behind.size() || !name.starts_with(before) ||
            !name.ends_with(behind))
            continue;
        const char* const first = name.data() + before.size();
        const char* const last = name.data() + name.size() - behind.size();
        std::uint64_t n = 0;
        const auto [end, fault] = std::from_chars(first, last, n);
        if (fault == std::errc() && end == last && *first != '0' && n > number) found.push_back(n);
    }
    std::ranges::sort(found);
    return found;
}

std::uint64_t size_of(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

bool is_continuable(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
}

// Shows the first message to who may object to going on, and those of the key that is watched.
class what_is_there final : public ss::visitor {
  public:
    explicit what_is_there(const ss_file_options& o) : options_(o) {}
    void on_message(ss::reader& at) override {
        std::vector<std::uint8_t> scratch;
        if (options_.on_watched && at.current().at.key == options_.watched_key)
            options_.on_watched(at.whole_payload(scratch));
        if (seen_) return;
        seen_ = true;
        if (!options_.may_append) return;
        objection = options_.may_append(at.current().at.key, at.whole_payload(scratch));
    }
    std::string objection;

  private:
    const ss_file_options& options_;
    bool seen_ = false;
};

}  // namespace

struct ss_file_sink::continued {
    ss::restored found;
};

std::string interval_fault(std::uint64_t interval) {
    if (interval >= ss::min_interval && interval <= 0xffffffffULL) return {};
    return fmt::format("a beacon interval is 128 to 4294967295 bytes, not {}", interval);
}

std::string interval_warning(std::uint32_t interval) {
    if (interval < ss::first_indexed_interval) {
        return fmt::format(
            "beacon interval {} B: below {} B beacons have no room for an index, so "
            "seeking reads from the start",
            interval, ss::first_indexed_interval);
    }
    if (interval % 1024 != 0) {
        return fmt::format(
            "beacon interval {} B: SeaStreamer's own producer takes multiples of "
            "1,024 only; its readers read the file all the same",
            grouped(interval));
    }
    return {};
}

ss_file_sink::ss_file_sink() = default;
ss_file_sink::~ss_file_sink() = default;

status ss_file_sink::open(ss_file_options options) {
    options_ = std::move(options);
    created_ns_ = options_.created_ns;
    if (std::string fault = interval_fault(options_.interval); !fault.empty()) return {fault};
    const bool goes_on = options_.append && is_continuable(options_.path);
    if (options_.roll && !options_.force) {
        if (const auto pieces = pieces_behind(options_.path, 1); !pieces.empty()) {
            return {fmt::format(
                "{}: exists, a piece of an earlier run; {}-o NAME writes elsewhere",
                rolled_name(options_.path, pieces.front()),
                goes_on ? "without --roll nothing goes into it, " : "--force replaces it, ")};
        }
    }
    return goes_on ? open_existing() : open_new(options_.path);
}

status ss_file_sink::open_new(const std::string& path) {
    const bool empty =
        options_.append && size_of(path) == 0;  // nothing there to continue or to lose
    const auto existing = options_.force || empty ? output_file::existing::replace
                                                  : output_file::existing::offer_append;
    file_ = output_file();
    if (status opened = file_.open(path, existing); !opened.ok()) return opened;
    to_.emplace(file_);
    writer_.emplace(options_.interval);
    begun_ = false;
    if (stays_closed_) file_.stay_closed();
    paths_.push_back(path);
    ++totals_.files;
    if (totals_.files > 1) return {};
    if (std::string w = interval_warning(options_.interval); !w.empty()) notes_.push_back(w);
    return {};
}

status ss_file_sink::open_existing() {
    const std::string& path = options_.path;
    if (status opened = file_.open(path, output_file::existing::append_in_place); !opened.ok()) {
        return opened;
    }
    ss_file_source source;
    source.borrow(file_.descriptor(), path);
    what_is_there first(options_);
    continued_ = std::make_unique<continued>(continued{ss::restore(source, first)});
    const ss::restored& found = continued_->found;
    const auto refuse = [&](std::uint64_t offset, const std::string& what) -> status {
        return {
            fmt::format("{}: cannot append: damaged at byte {}: {}; first cdcscope ss repair {} "
                        "-o good.ss",
                        path, grouped(offset), what, path)};
    };
    if (found.damage) return refuse(found.damage.offset, ss::describe(found.damage));
    if (found.torn_bytes > 0 && ss::holds_message(source, found.interval, found.state.offset)) {
        return refuse(found.state.offset, "a message can not be read, though others follow");
    }
    if (!first.objection.empty()) {
        return {fmt::format("{}: cannot append: {}; use the same, or another file", path,
                            first.objection)};
    }
    to_.emplace(file_);
    writer_.emplace(found.interval, found.state);
    paths_.push_back(path);
    ++totals_.files;
    if (found.torn_bytes > 0) {
        notes_.push_back(
            fmt::format("{}: {} at the end were not written to their end; cut off "
                        "before appending",
                        path, bytes_text(found.torn_bytes)));
    }
    if (found.interval != options_.interval) {
        notes_.push_back(
            fmt::format("{}: keeps its beacon interval, {} B", path, grouped(found.interval)));
    }
    return {};
}

status ss_file_sink::outcome(bool well) const {
    return well ? status{} : to_->outcome();
}

status ss_file_sink::begin(std::uint64_t first_record_ms) {
    if (begun_) return {};
    begun_ = true;
    return continued_ ? begin_append() : begin_new(first_record_ms);
}

status ss_file_sink::begin_new(std::uint64_t first_record_ms) {
    const std::string name = fs::path(paths_.back()).filename().string();
    std::string_view kept = ss::cut_file_name(name);
    if (kept.size() < name.size()) {
        notes_.push_back(fmt::format("{}: its header holds the first {} bytes of the name only",
                                     name, kept.size()));
    }
    if (!is_utf8(as_bytes(kept))) {
        kept = "";
        notes_.push_back(name + ": its header holds no name, for the name is not UTF-8");
    } else if (std::ranges::any_of(kept,
                                   [](char c) { return static_cast<unsigned char>(c) > 0x7f; })) {
        notes_.push_back(name +
                         ": SeaStreamer's TypeScript reader can not read files whose name is "
                         "not ASCII; its Rust reader can");
    }
    const std::uint64_t created = created_ns_ ? clamped_ms(*created_ns_) : first_record_ms;
    return outcome(writer_->open({kept, created, options_.interval}, *to_));
}

// From here on the file has no EOS until finish().
status ss_file_sink::begin_append() {
    const ss::restored& found = continued_->found;
    eos_floor_ = found.eos_ms.value_or(0);
    if (status cut = file_.truncate(found.state.offset); !cut.ok()) return cut;
    const bool well = !found.beacon_missing || writer_->write_beacon(*to_);
    continued_.reset();
    return outcome(well);
}

status ss_file_sink::check(const record& r) const {
    const auto refuse = [&](std::string_view what) -> status {
        return {fmt::format("{}: a record of stream \"{}\" can not be written: {}", paths_.back(),
                            findings::printable(r.key), what)};
    };
    if (r.key.empty() || r.key.size() > ss::max_key_size) return refuse("a key has 1 to 249 bytes");
    if (const std::size_t at = ss::valid_key_prefix(r.key); at < r.key.size()) {
        return refuse(fmt::format("'{}' is none of A-Z a-z 0-9 . _ -",
                                  findings::printable(r.key.substr(at, 1))));
    }
    if (ss::is_reserved_key(r.key)) return refuse("this key is SeaStreamer's own");
    // SeaStreamer's reader ends at some of them without a word (docs/ss.md section 12).
    if (r.payload.empty()) return refuse("it is empty");
    if (!ss::fits_frame(r.key.size(), r.payload.size())) return refuse("4 GiB are too large");
    return {};
}

ss::label ss_file_sink::next_label(const record& r) {
    const ss::stream_state* stream = writer_->streams().find(r.key, 0);
    const std::uint64_t wanted = clamped_ms(r.time_ns);
    const std::uint64_t floor = std::max(last_ms_, stream == nullptr ? 0 : stream->timestamp_ms);
    const std::uint64_t time = std::max(wanted, floor);
    const bool out_of_range =
        r.time_ns < 0 || wanted != static_cast<std::uint64_t>(r.time_ns / ms_ns);
    if (time != wanted || out_of_range) ++totals_.raised_times;
    return {r.key, 0, stream == nullptr ? 1 : stream->sequence + 1, time};
}

bool ss_file_sink::fits(const ss::label& message, std::uint32_t size) const {
    const std::size_t capacity = ss::marker_capacity(writer_->interval());
    const std::uint64_t most_beacon = ss::beacon_overhead + capacity * ss::max_marker_size;
    const std::uint64_t frames = ss::frame_size(message.key.size(), size) +
                                 ss::frame_size(ss::internal_key.size(), ss::eos_payload.size());
    // Beacons take at most half of their interval, so the frames cross less than three times as
    // many of them.
    const std::uint64_t most =
        writer_->offset() + frames + (3 * frames / writer_->interval() + 3) * most_beacon;
    if (most <= options_.limit) return true;
    // Close to the limit it is tried out, on a copy.
    ss::writer copy = *writer_;
    counting_output nowhere;
    const std::vector<std::uint8_t> zeros(std::min<std::size_t>(size, std::size_t{1} << 20));
    bool well = copy.start(message, size, 0, nowhere);
    for (std::uint64_t left = size; well && left > 0;) {
        const byte_view piece = byte_view(zeros).first(std::min<std::uint64_t>(left, zeros.size()));
        well = copy.put_payload(piece, nowhere);
        left -= piece.size();
    }
    return well && copy.finish(nowhere) && copy.write_eos(message.timestamp_ms, nowhere) &&
           copy.offset() <= options_.limit;
}

status ss_file_sink::roll() {
    if (status closed = close(options_.eos); !closed.ok()) return closed;
    last_ms_ = 0;
    eos_floor_ = 0;
    status opened = open_new(rolled_name(options_.path, totals_.files + 1));
    if (opened.ok()) return opened;
    to_.reset();  // no piece is open
    full_ = true;
    return {fmt::format("{}; what came before it is whole: {}", opened.error, pieces())};
}

// "x.ss", "x.ss to x.7.ss".
std::string ss_file_sink::pieces() const {
    return paths_.size() == 1 ? paths_.front() : paths_.front() + " to " + paths_.back();
}

// The piece that was begun for the record goes again.
status ss_file_sink::fits_no_piece(std::uint64_t size) {
    file_.discard();
    to_.reset();
    paths_.pop_back();
    --totals_.files;
    ++totals_.refused;
    return {fmt::format(
        "{}: a message of {} fits no file of {} (--limit); --limit SIZE allows more. {} written, "
        "what came before it is whole: {}",
        options_.path, bytes_text(size), bytes_text(options_.limit), grouped(totals_.written),
        pieces())};
}

status ss_file_sink::write(const record& r) {
    if (status fault = check(r); !fault.ok()) return fault;
    if (!full_) {
        if (status begun = begin(clamped_ms(r.time_ns)); !begun.ok()) return begun;
        ss::label l = next_label(r);
        const auto size = static_cast<std::uint32_t>(r.payload.size());
        bool room = fits(l, size);
        if (!room && options_.roll && writer_->streams().size() > 0) {
            if (status rolled = roll(); !rolled.ok()) return rolled;
            if (status begun = begin(clamped_ms(r.time_ns)); !begun.ok()) return begun;
            l = next_label(r);
            room = fits(l, size);
        }
        if (room) {
            last_ms_ = l.timestamp_ms;
            if (!writer_->write(l, r.payload, *to_)) return to_->outcome();
            ++totals_.written;
            return {};
        }
        full_ = true;
        if (options_.roll && paths_.size() > 1 && writer_->streams().size() == 0)
            return fits_no_piece(size);
    }
    ++totals_.refused;
    return {
        fmt::format("{}: full: the file may have {} (--limit); {} written, not this one and none "
                    "after it. --limit SIZE allows more, --roll goes on in another file",
                    paths_.back(), bytes_text(options_.limit), grouped(totals_.written))};
}

// Under --force a shorter run leaves later pieces of a longer one: who joins by a pattern mixes
// them.
void ss_file_sink::note_older_pieces() {
    if (!options_.roll || !options_.force) return;
    const auto older = pieces_behind(options_.path, totals_.files);
    if (older.empty()) return;
    const std::string first = rolled_name(options_.path, older.front());
    notes_.push_back(fmt::format(
        "{}{}: of an earlier run, left as it was; this run wrote {}", first,
        older.size() == 1 ? "" : " to " + rolled_name(options_.path, older.back()), pieces()));
}

status ss_file_sink::finish(bool whole) {
    if (!to_) return {};
    note_older_pieces();
    return close(whole && options_.eos && !full_);
}

status ss_file_sink::end(bool whole) {
    if (!to_) return {};
    note_older_pieces();
    if (status ended = write_end(whole && options_.eos && !full_); !ended.ok()) return ended;
    return file_.flush();
}

status ss_file_sink::publish() {
    return to_ ? file_.publish() : status{};
}

status ss_file_sink::close(bool with_eos) {
    if (status ended = write_end(with_eos); !ended.ok()) return ended;
    return file_.commit();
}

status ss_file_sink::write_end(bool with_eos) {
    if (status begun = begin(0); !begun.ok()) return begun;
    const std::uint64_t created = created_ns_ ? clamped_ms(*created_ns_) : 0;
    const bool nothing = last_ms_ == 0 && eos_floor_ == 0;
    const std::uint64_t end_ms = nothing ? created : std::max(last_ms_, eos_floor_);
    if (with_eos && !writer_->write_eos(end_ms, *to_)) return to_->outcome();
    return {};
}

}  // namespace cdcscope::sink
