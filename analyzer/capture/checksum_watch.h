// Wrong TCP checksums are counted, never a reason to drop: a card that fills them in later makes
// all of a host wrong.
#pragma once

#include <map>

#include "analyzer/capture/observation.h"
#include "analyzer/capture/segment.h"

namespace cdcscope::capture {

class checksum_watch {
  public:
    // Free of cost while every checksum is good.
    void see(const segment& s, bool good) {
        if (!good || !senders_.empty()) count(s, good);
    }
    // One note for each sender with wrong checksums.
    void report(observation_sink& to) const;

  private:
    struct counts {
        std::uint64_t bad = 0;
        std::uint64_t good_since = 0;  // since its first bad one
        frame_ref first;
    };
    void count(const segment& s, bool good);

    std::map<address, counts> senders_;
};

}  // namespace cdcscope::capture
