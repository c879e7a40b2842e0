// Problems of a .ss file as lines for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/sink/ss_source.h"
#include "proto/ss/problem.h"

namespace cdcscope::cli {

// What is wrong and what to do: "a.ss: message 12 of orders at byte 1,615 fails its checksum (...);
// 19 good ones around it. cdcscope ss repair a.ss -o good.ss drops it". `good`: whole messages.
// What is behind a message that is cut off is looked at in the file.
[[nodiscard]] std::string damage_text(sink::ss_file_source& source, const ss::problem& p,
                                      std::uint64_t good);

// Keeps the first problems, so that their lines can say what the whole file shows, and counts the
// others.
class damage_list {
  public:
    static constexpr std::size_t max_lines = 20;

    void add(const ss::problem& p);
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    // Errors on standard error, one a line.
    void print(sink::ss_file_source& source, std::uint64_t good) const;

  private:
    struct kept {
        ss::problem what;
        std::string key;
    };
    std::vector<kept> kept_;
    std::uint64_t count_ = 0;
};

}  // namespace cdcscope::cli
