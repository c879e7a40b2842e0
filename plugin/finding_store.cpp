#include "plugin/finding_store.h"

namespace cdcscope {

void finding_store::append(std::uint32_t message, std::uint32_t at) {
    if (message >= heads_.size()) heads_.resize(message + std::size_t{1});
    list& l = heads_[message];
    (l.first == none ? l.first : next_[l.last]) = at;
    l.last = at;
}

void finding_store::on_finding(findings::finding found) noexcept {
    try {
        const auto at = static_cast<std::uint32_t>(found_.size());
        next_.push_back(none);
        const std::uint32_t message = found.event;
        found_.push_back(std::move(found));
        append(message, at);
    } catch (...) {  // no memory: this one is not shown
        next_.resize(found_.size());
    }
}

}  // namespace cdcscope
