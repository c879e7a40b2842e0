// `ss repair`: a new file with every message that can be saved, and a list of what was lost (R22).
#include <fmt/format.h>

#include <array>
#include <optional>

#include "analyzer/cli/command.h"
#include "analyzer/cli/inputs.h"
#include "analyzer/cli/signals.h"
#include "analyzer/cli/ss_commands.h"
#include "analyzer/cli/ss_files.h"
#include "analyzer/cli/ss_new_file.h"
#include "analyzer/cli/terminal.h"
#include "proto/findings/words.h"
#include "proto/ss/header.h"
#include "proto/ss/salvage.h"

namespace cdcscope::cli {
namespace {

using findings::grouped;

constexpr std::uint64_t max_lines = 50;

class saver final : public ss::salvage_visitor {
  public:
    saver(const ss_repair_options& o, const ss::decoded_header& h) : options_(o) {
        interval_ = h.value.interval >= ss::min_interval ? h.value.interval : ss::default_interval;
        if (!h.broken) created_ms_ = h.value.created_ms;
    }

    bool on_message(ss::reader& at) override {
        file(at.current().at.timestamp_ms).copy(at, at.current().at);
        return stop_signal() == 0;
    }

    void on_lost(const ss::lost_range& lost) override {
        if (++lost_ > max_lines) return;
        const std::string of =
            lost.at.key.empty() ? ""
                                : fmt::format(" (message {} of {})", lost.at.sequence, lost.at.key);
        ss::problem p;
        p.what = lost.why;
        print_warning(fmt::format("{}: lost bytes {} to {}{}: {}", options_.file,
                                  grouped(lost.offset), grouped(lost.end - 1), of,
                                  reason(lost.why)));
    }

    void finish(std::optional<std::uint64_t> eos_ms) {
        file(0).finish(eos_ms);
        if (lost_ <= max_lines) return;
        print_warning(fmt::format("{}: {} more places", options_.file, grouped(lost_ - max_lines)));
    }

  private:
    // Opened with the first message, whose time is the file's when the header has none.
    ss_new_file& file(std::uint64_t first_ms) {
        if (!file_) {
            file_.emplace(options_.out, options_.force, created_ms_.value_or(first_ms), interval_);
        }
        return *file_;
    }

    static std::string_view reason(ss::fault why) {
        switch (why) {
            case ss::fault::checksum:
                return "wrong checksum";
            case ss::fault::message_cut:
                return "no whole message";
            case ss::fault::key_not_utf8:
            case ss::fault::key_invalid:
                return "no valid stream key";
            case ss::fault::key_empty:
                return "no stream key";
            case ss::fault::timestamp_range:
                return "no possible time";
            case ss::fault::read_failed:
                return "can not be read";
            default:
                return "no message can be read";
        }
    }

    const ss_repair_options& options_;
    std::optional<std::uint64_t> created_ms_;
    std::uint32_t interval_;
    std::optional<ss_new_file> file_;
    std::uint64_t lost_ = 0;
};

}  // namespace

int ss_repair(const ss_repair_options& o) {
    if (std::string why = is_read(o.out, std::array{o.file}); !why.empty()) throw ss_failure{why};
    const auto source = open_ss(o.file);
    std::array<std::uint8_t, ss::header_size> bytes{};
    const std::size_t n = source->read(0, bytes);
    if (n == ss::byte_source::failed) throw ss_failure{source->failure()};
    const ss::decoded_header header = ss::decode_header({bytes.data(), n});
    saver saved(o, header);
    const ss::salvage_summary sum = ss::salvage(*source, saved);
    if (stop_signal() != 0) return stop_status();
    if (header.broken) {
        print_warning(fmt::format("{}: header made anew: {}", o.file, ss::describe(header.broken)));
    }
    saved.finish(sum.eos_ms);
    ss_lines out;
    out.put(fmt::format("{}: {} messages saved; {}\n", printable(o.out), grouped(sum.messages),
                        sum.lost_ranges == 0
                            ? std::string("nothing lost")
                            : fmt::format("{} lost in {} {}", findings::bytes_text(sum.lost_bytes),
                                          grouped(sum.lost_ranges),
                                          findings::plural(sum.lost_ranges, "place", "places"))));
    out.flush();
    return exit_status::done;
}

}  // namespace cdcscope::cli
