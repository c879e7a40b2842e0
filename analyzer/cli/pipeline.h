// Capture in, observer calls out: reader, TCP, recovery and state machines put together as the
// common options say.
#pragma once

#include <memory>
#include <string>

#include "analyzer/capture/reader.h"
#include "analyzer/cli/common_options.h"
#include "analyzer/cli/notices.h"
#include "analyzer/cli/progress.h"
#include "analyzer/recover/recovery.h"
#include "analyzer/track/figures.h"
#include "analyzer/track/session.h"

namespace cdcscope::cli {

enum class outcome { done, failed, interrupted, stopped };

// What of the common options concerns the recovery.
[[nodiscard]] recover::options recovery_options(const common_options& o);

// Empty: the captures are open. Throws usage_error for a filter that cannot be compiled.
[[nodiscard]] std::string open_captures(capture::reader& reader, const common_options& o);

[[nodiscard]] bool interrupted() noexcept;
[[nodiscard]] progress_state progress_of(const capture::reader& reader, std::uint64_t messages);

void print_notices(const std::vector<notice>& lines);

// Reads to the end, to a signal, or until `stop` says so; draws the progress line.
template <typename Stop, typename Messages>
outcome read_all(capture::reader& reader, const common_options& o, Stop&& stop,
                 Messages&& messages) {
    progress line(!o.no_progress && !o.quiet);
    while (true) {
        const capture::step now = reader.next();
        if (now == capture::step::failed) return outcome::failed;
        if (now == capture::step::done) return outcome::done;
        if (interrupted()) return outcome::interrupted;
        if (stop()) return outcome::stopped;
        line.tick([&] { return progress_of(reader, messages()); });
    }
}

class pipeline {
  public:
    // `watch_dcp` and `watch_canal` may be null. `command` is the word in advice ("report").
    pipeline(const common_options& o, std::string command, track::observer& to,
             capture::observation_sink& observations, dcp::observer* watch_dcp = nullptr,
             canal::observer* watch_canal = nullptr);

    // As open_captures().
    [[nodiscard]] std::string open() { return open_captures(reader_, options_); }

    // Reads to the end, to a signal, or until `stop` says so. The observer has heard of everything
    // afterwards.
    template <typename Stop, typename Messages>
    outcome run(Stop&& stop, Messages&& messages) {
        return finish(read_all(reader_, options_, stop, messages));
    }

    // What the session is to judge: to be said before its first message.
    void judge_until(std::int64_t until_ns) noexcept { session_.judge_until(until_ns); }

    [[nodiscard]] const capture::reader& captures() const noexcept { return reader_; }
    [[nodiscard]] std::uint64_t last_frame() const noexcept { return reader_.packets().read; }
    [[nodiscard]] const canal::world& canal_world() const noexcept {
        return session_.canal_world();
    }
    [[nodiscard]] const recover::recovery& recovered() const noexcept { return recovery_; }
    // What is to be said of the files, the limits and what is missing, after run().
    [[nodiscard]] std::vector<notice> notices(const std::vector<track::noticed>& observed) const;

  private:
    [[nodiscard]] outcome finish(outcome how);

    const common_options& options_;
    track::session session_;
    recover::recovery recovery_;
    capture::reader reader_;
};

}  // namespace cdcscope::cli
