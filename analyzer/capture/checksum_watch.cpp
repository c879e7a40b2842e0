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
        const auto all = n.bad + n.good_since;
        const auto* are = n.bad == 1 ? "is" : "are";
        const std::string text =
            n.good_since == 0
                ? fmt::format(
                      "{} of {} from here on {} wrong: its network card fills them in after the "
                      "capture (offload); nothing is dropped for it",
                      all == 1 ? "the TCP checksum" : fmt::format("all {} TCP checksums", all),
                      to_string(sender), are)
                : fmt::format(
                      "{} of {} TCP checksums of {} from here on {} wrong; nothing is dropped for "
                      "it",
                      n.bad, all, to_string(sender), are);
        to.on_observation({findings::code::tcp_bad_checksum, 0, n.first, n.bad, text});
    }
}

}  // namespace cdcscope::capture
