// `ss join`: several files into one, by time. Streams of the same name become one, numbered anew
// from 1.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>

#include "analyzer/cli/command.h"
#include "analyzer/cli/inputs.h"
#include "analyzer/cli/signals.h"
#include "analyzer/cli/ss_commands.h"
#include "analyzer/cli/ss_damage.h"
#include "analyzer/cli/ss_files.h"
#include "analyzer/cli/ss_new_file.h"
#include "analyzer/cli/terminal.h"
#include "proto/findings/words.h"

namespace cdcscope::cli {
namespace {

using findings::grouped;

// One file, standing on its next message.
class input {
  public:
    explicit input(const std::string& path)
        : source_(open_ss(path)),
          header_(read_ss_header(*source_)),
          // Many files may be open at once, so each gets the smallest window.
          reader_(*source_, header_.interval, ss::header_size, ss::reader::min_window) {}

    // False at the end. Damage ends the whole work: a joined file would hide it.
    bool next() {
        for (;;) {
            switch (reader_.next()) {
                case ss::item::beacon:
                    continue;
                case ss::item::end:
                    if (reader_.offset() < source_->size()) fail(behind_eos());
                    return false;
                case ss::item::broken:
                    fail(reader_.broken());
                case ss::item::message:
                    break;
            }
            const ss::message& m = reader_.current();
            if (!m.checksum_ok()) fail(wrong_checksum(m));
            if (m.eos) {
                eos_ms_ = m.at.timestamp_ms;
            } else if (!ss::is_reserved_key(m.at.key)) {
                ++messages_;
                return true;
            }
        }
    }

    [[nodiscard]] ss::reader& at() noexcept { return reader_; }
    [[nodiscard]] std::uint64_t time() const noexcept { return reader_.current().at.timestamp_ms; }
    [[nodiscard]] const ss_header& header() const noexcept { return header_; }
    [[nodiscard]] const std::optional<std::uint64_t>& eos_ms() const noexcept { return eos_ms_; }

  private:
    [[noreturn]] void fail(const ss::problem& p) const {
        throw ss_failure{damage_text(*source_, p, messages_)};
    }
    [[nodiscard]] ss::problem behind_eos() const {
        ss::problem p;
        p.what = ss::fault::data_after_eos;
        p.offset = reader_.offset();
        p.stored = source_->size() - reader_.offset();
        return p;
    }
    [[nodiscard]] static ss::problem wrong_checksum(const ss::message& m) {
        ss::problem p;
        p.what = ss::fault::checksum;
        p.offset = m.offset;
        p.at = m.at;
        p.stored = m.stored;
        p.computed = m.computed;
        return p;
    }

    std::unique_ptr<sink::ss_file_source> source_;
    ss_header header_;
    ss::reader reader_;
    std::optional<std::uint64_t> eos_ms_;
    std::uint64_t messages_ = 0;
};

// Which file is next: the one with the earliest message, of equal ones the one named first.
struct turn {
    std::uint64_t time;
    std::size_t file;
    friend bool operator>(const turn& a, const turn& b) {
        return a.time != b.time ? a.time > b.time : a.file > b.file;
    }
};

// The label in the joined file: the next number of the stream, and a time that does not go back in
// it.
ss::label joined(const ss::label& l, const ss::stream_table& streams) {
    const ss::stream_state* s = streams.find(l.key, l.shard);
    if (s == nullptr) return {l.key, l.shard, 1, l.timestamp_ms};
    return {l.key, l.shard, s->sequence + 1, std::max(l.timestamp_ms, s->timestamp_ms)};
}

}  // namespace

int ss_join(const ss_join_options& o) {
    if (std::string why = is_read(o.out, o.files); !why.empty()) throw ss_failure{why};
    std::vector<std::unique_ptr<input>> inputs;
    std::uint64_t created_ms = std::numeric_limits<std::uint64_t>::max();
    for (const std::string& file : o.files) {
        inputs.push_back(std::make_unique<input>(file));
        created_ms = std::min(created_ms, inputs.back()->header().created_ms);
    }
    std::priority_queue<turn, std::vector<turn>, std::greater<>> turns;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i]->next()) turns.push({inputs[i]->time(), i});
    }
    ss_new_file out(o.out, o.force, created_ms, inputs.front()->header().interval);
    std::uint64_t messages = 0;
    std::uint64_t raised = 0;
    while (!turns.empty() && stop_signal() == 0) {
        const std::size_t i = turns.top().file;
        turns.pop();
        ss::reader& at = inputs[i]->at();
        const ss::label l = joined(at.current().at, out.writer().streams());
        if (l.timestamp_ms != at.current().at.timestamp_ms) ++raised;
        out.copy(at, l);
        ++messages;
        if (inputs[i]->next()) turns.push({inputs[i]->time(), i});
    }
    if (stop_signal() != 0) return stop_status();
    // The whole has an end only if all its parts have one.
    std::optional<std::uint64_t> eos_ms = 0;
    for (const auto& in : inputs) {
        eos_ms =
            eos_ms && in->eos_ms() ? std::optional(std::max(*eos_ms, *in->eos_ms())) : std::nullopt;
    }
    out.finish(eos_ms);
    if (raised > 0) {
        print_warning(
            fmt::format("{}: {} messages got the time of the one before in their stream: "
                        "time goes back in the files joined",
                        o.out, grouped(raised)));
    }
    ss_lines lines;
    lines.put(fmt::format("{}: {} messages of {} {}{}\n", printable(o.out), grouped(messages),
                          inputs.size(), findings::plural(inputs.size(), "file", "files"),
                          eos_ms ? "" : "; no end-of-stream message, for not every file has one"));
    lines.flush();
    return exit_status::done;
}

}  // namespace cdcscope::cli
