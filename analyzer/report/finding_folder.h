// Findings as they come, folded: those of one rule, one severity and one connection are one.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyzer/capture/observation.h"
#include "analyzer/report/first_and_last.h"
#include "analyzer/report/model.h"
#include "proto/findings/finding.h"

namespace cdcscope::report {

class finding_folder {
  public:
    // Where the part begins that is judged: what lasts may have begun before.
    void judge_from(std::int64_t since_ns) noexcept { since_ns_ = since_ns; }
    // `before`: it was told of before the part that is judged, and lasts into it.
    void add(const findings::finding& f, bool before = false);
    void settle(const findings::settlement& s);
    // What the layers below the protocols noticed is a finding if the table has its code.
    void add(const capture::observation& o);

    // Most severe first, then by first frame.
    [[nodiscard]] std::vector<rule_finding> take();

  private:
    using key = std::tuple<findings::code, std::uint32_t, severity, bool>;
    struct place {
        std::size_t finding = 0;
        std::uint64_t hit = 0;  // its number
    };

    place put(findings::code what, severity level, bool uncertain, std::uint32_t connection,
              hit one);

    std::map<key, std::size_t> index_;
    std::vector<rule_finding> findings_;
    std::vector<first_and_last<hit>> hits_;  // of each of them
    std::unordered_map<std::uint32_t, place> running_;
    std::int64_t since_ns_ = INT64_MIN;
};

}  // namespace cdcscope::report
