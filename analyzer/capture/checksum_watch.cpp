#include "analyzer/capture/checksum_watch.h"

#include <fmt/format.h>

namespace cdcscope::capture {
namespace {

constexpr std::size_t senders_limit = 1024;

}  // namespace

void checksum_watch::count(const segment& s, bool good) {
    auto sender = senders_.find(s.source.ip);
    if (sender == senders_.end()) {
        if (good || senders_.size() == senders_limit) return;
        sender = senders_.try_emplace(s.source.ip).first;
        sender->second.first = s.at;
    }
    ++(good ? sender->second.good_since : sender->second.bad);
}

void checksum_watch::report(observation_sink& to) const {
    for (const auto& [sender, n] : senders_) {
        const std::string text =
            n.good_since == 0
                ? fmt::format(
                      "all {} TCP checksums of {} are wrong from here on: its network card fills "
                      "them in after the capture (offload); "
                      "nothing is dropped for it",
                      n.bad, to_string(sender))
                : fmt::format(
                      "{} TCP checksums of {} are wrong ({} are right); nothing is dropped for it",
                      n.bad, to_string(sender), n.good_since);
        to.on_observation({findings::code::tcp_bad_checksum, 0, n.first, n.bad, text});
    }
}

}  // namespace cdcscope::capture
