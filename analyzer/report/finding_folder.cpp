#include "analyzer/report/finding_folder.h"

#include <algorithm>

#include "analyzer/report/cards.h"
#include "analyzer/report/format.h"
#include "proto/findings/table.h"

namespace cdcscope::report {
namespace {

void note_partition(rule_finding& f, const hit& one) {
    const auto partition = figure_of(one, "partition");
    if (!partition || f.partitions.size() >= cap::partitions) return;
    const auto number = static_cast<std::uint16_t>(*partition);
    const auto at = std::lower_bound(f.partitions.begin(), f.partitions.end(), number);
    if (at == f.partitions.end() || *at != number) f.partitions.insert(at, number);
}

}  // namespace

finding_folder::place finding_folder::put(findings::code what, severity level, bool uncertain,
                                          std::uint32_t connection, hit one) {
    if (one.first.frame == 0) one.first = one.last;
    const auto [at, is_new] =
        index_.try_emplace({what, connection, level, uncertain}, findings_.size());
    if (is_new) {
        const auto& entry = findings::entry_of(what);
        rule_finding f;
        f.what = what;
        f.code = entry.text;
        f.rule = entry.rule;
        f.level = level;
        f.uncertain = uncertain;
        f.connection = connection;
        f.first = one.first;
        findings_.push_back(std::move(f));
        hits_.emplace_back(cap::hits);
    }
    auto& f = findings_[at->second];
    f.last = one.last;
    ++f.count;
    note_partition(f, one);
    return {at->second, hits_[at->second].add(std::move(one))};
}

void finding_folder::add(const findings::finding& f, bool before) {
    hit one;
    one.first = f.first;
    one.last = f.at;
    one.text = f.text;
    one.figures = f.figures;
    one.running = f.id != 0;
    one.before = before;
    const auto where = put(f.what, f.level, f.uncertain, f.connection, std::move(one));
    if (f.id != 0) running_[f.id] = where;
}

void finding_folder::settle(const findings::settlement& s) {
    const auto found = running_.find(s.id);
    if (found == running_.end()) return;
    const auto where = found->second;
    running_.erase(found);
    auto& f = findings_[where.finding];
    f.going_on = f.going_on || !s.over;
    auto* kept = hits_[where.finding].find(where.hit);
    if (kept == nullptr) return;
    auto& one = *kept;
    one.going_on = !s.over;
    one.until = s.at;
    one.before = one.before || one.first.time_ns < since_ns_;
    one.figures = s.figures;
    if (!s.text.empty()) one.text = s.text;
}

void finding_folder::add(const capture::observation& o) {
    // What every capture has is told with the capture, not among its troubles.
    const auto& entry = findings::entry_of(o.code);
    if (entry.level == severity::chat) return;
    hit one;
    one.last = o.at;
    one.text = directions_in_words(o.text);
    if (o.bytes > 0) one.figures.push_back({"bytes", o.bytes});
    put(o.code, entry.level, false, o.connection, std::move(one));
}

std::vector<rule_finding> finding_folder::take() {
    for (std::size_t i = 0; i < findings_.size(); ++i) findings_[i].hits = hits_[i].take();
    // What began before came when it was known to have lasted.
    for (auto& f : findings_) {
        if (std::none_of(f.hits.begin(), f.hits.end(), [](const hit& h) { return h.before; }))
            continue;
        std::stable_sort(f.hits.begin(), f.hits.end(), [](const hit& a, const hit& b) {
            return a.last.time_ns < b.last.time_ns;
        });
        f.first = f.hits.front().first;
        if (f.last.time_ns < f.hits.back().last.time_ns) f.last = f.hits.back().last;
    }
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const rule_finding& a, const rule_finding& b) {
                         if (a.level != b.level) return a.level > b.level;
                         return std::tie(a.first.time_ns, a.connection) <
                                std::tie(b.first.time_ns, b.connection);
                     });
    index_.clear();
    running_.clear();
    hits_.clear();
    return std::move(findings_);
}

}  // namespace cdcscope::report
