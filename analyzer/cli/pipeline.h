// Capture in, observer calls out: reader, TCP, recovery and state machines put together as the
// common options say.
#pragma once

#include <memory>
#include <string>

#include "analyzer/capture/reader.h"
#include "analyzer/cli/common_options.h"
#include "analyzer/cli/progress.h"
#include "analyzer/recover/recovery.h"
#include "analyzer/track/session.h"

namespace cdcscope::cli {

enum class outcome { done, failed, interrupted, stopped };

class pipeline {
  public:
    // `watch_dcp` and `watch_canal` may be null. `command` is the word in advice ("report").
    pipeline(const common_options& o, std::string command, track::observer& to,
             capture::observation_sink& observations, dcp::observer* watch_dcp = nullptr,
             canal::observer* watch_canal = nullptr);

    // Empty: the captures are open. Throws usage_error for a filter that cannot be compiled.
    [[nodiscard]] std::string open();

    // Reads to the end, to a signal, or until `stop` says so. The observer has heard of everything
    // afterwards.
    template <typename Stop, typename Messages>
    outcome run(Stop&& stop, Messages&& messages) {
        progress line(!options_.no_progress && !options_.quiet);
        while (true) {
            const capture::step now = reader_.next();
            if (now == capture::step::failed) return finish(outcome::failed);
            if (now == capture::step::done) return finish(outcome::done);
            if (interrupted()) return finish(outcome::interrupted);
            if (stop()) return finish(outcome::stopped);
            line.tick([&] { return state(messages()); });
        }
    }

    [[nodiscard]] const capture::reader& captures() const noexcept { return reader_; }
    [[nodiscard]] std::uint64_t last_frame() const noexcept { return reader_.packets().read; }
    [[nodiscard]] const recover::recovery& recovered() const noexcept { return recovery_; }

  private:
    [[nodiscard]] outcome finish(outcome how);
    [[nodiscard]] static bool interrupted();
    [[nodiscard]] progress_state state(std::uint64_t messages) const;

    const common_options& options_;
    track::session session_;
    recover::recovery recovery_;
    capture::reader reader_;
};

}  // namespace cdcscope::cli
