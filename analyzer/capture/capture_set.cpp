#include "analyzer/capture/capture_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analyzer/capture/link_layers.h"
#include "analyzer/capture/link_names.h"

namespace cdcscope::capture {
namespace {

constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t types_named = 8;

double seconds(std::int64_t later, std::int64_t earlier) {
    return (static_cast<double>(later) - static_cast<double>(earlier)) / 1e9;
}

}  // namespace

std::string capture_set::open(const std::vector<std::string>& names) {
    if (std::ranges::count(names, "-") > 1)
        return "-: standard input is named twice; it can be read once";
    members_.resize(names.size());
    for (std::size_t n = 0; n < names.size(); ++n) {
        members_[n].name = names[n];
        if (std::string error = look_at(members_[n], names.size() == 1); !error.empty())
            return error;
    }
    // A file without packets has no place in time; it is looked at last.
    std::ranges::stable_sort(members_, {},
                             [](const member& m) { return m.has_first ? m.first_time : forever; });
    for (const member& m : members_) names_.push_back(m.name);
    return {};
}

// Opens a file to learn its first packet's time; several files are closed again, as there may be
// thousands.
std::string capture_set::look_at(member& m, bool only_one) {
    m.file = std::make_unique<capture_file>(m.name, options_);
    if (!m.file->error().empty()) return m.file->error();
    m.progress = m.file->progress();
    m.format = m.file->format();
    const auto link_type = m.file->only_link_type();
    if (link_type && !knows_link_type(*link_type)) return unread_link_type(m.name, {*link_type}, 0);
    if (only_one) return {};
    m.has_pending = m.file->next(m.pending) == next_state::packet;
    m.has_first = m.has_pending;
    m.first_time = m.pending.at.time_ns;
    if (!m.file->can_reopen()) return {};
    m.file.reset();
    m.has_pending = false;
    return {};
}

bool capture_set::begin(member& m) {
    active_.push_back(index_of(m));
    if (m.file == nullptr) {
        m.file = std::make_unique<capture_file>(m.name, options_);
        error_ = m.file->error();
        if (!error_.empty()) return false;
    }
    if (m.has_pending) note(m);
    return true;
}

next_state capture_set::fetch(member& m) {
    const next_state state = m.file->next(m.pending);
    if (state != next_state::packet) return state;
    m.has_pending = true;
    note(m);
    return state;
}

void capture_set::note(member& m) {
    packet& p = m.pending;
    p.at.file = static_cast<std::uint32_t>(index_of(m));
    ++m.packets;
    if (p.has_time && m.packets > 1 && p.at.time_ns < m.last_time) {
        const auto step =
            static_cast<std::uint64_t>(m.last_time) - static_cast<std::uint64_t>(p.at.time_ns);
        if (step > largest_step_back_) {
            largest_step_back_ = step;
            step_back_at_ = p.at;
        }
    }
    if (!p.has_time) ++m.timeless;
    m.last_time = p.at.time_ns;
    if (m.packets == 1) m.first_time = p.at.time_ns;
    if (p.link_type != m.read_type) note_link_type(m, p.link_type);
}

void capture_set::note_link_type(member& m, std::uint32_t link_type) {
    if (knows_link_type(link_type)) {
        m.read_type = link_type;
        return;
    }
    ++m.unread;
    if (m.unread_types.size() < types_named && std::ranges::count(m.unread_types, link_type) == 0) {
        m.unread_types.push_back(link_type);
    }
}

next_state capture_set::next(packet& out) {
    while (error_.empty()) {
        if (!chosen_ && !choose()) return error_.empty() ? next_state::end : next_state::error;
        member& m = members_[current_];
        if (!m.has_pending) {
            const next_state state = fetch(m);
            if (state == next_state::more) return state;
            if (state != next_state::packet) {
                close(m);
                continue;
            }
        }
        if (m.pending.at.time_ns <= current_until_) {
            out = m.pending;
            m.has_pending = false;
            return next_state::packet;
        }
        chosen_ = false;  // another file has an earlier packet
    }
    return next_state::error;
}

// Whose packet comes next, and until when it stays so. False if nothing is left, or on an error.
bool capture_set::choose() {
    const auto by_time = [this](std::size_t n) { return members_[n].pending.at.time_ns; };
    while (true) {
        const auto first = std::ranges::min_element(active_, {}, by_time);
        const bool none = first == active_.end();
        if (to_open_ < members_.size() &&
            (none || members_[to_open_].first_time < by_time(*first))) {
            member& fresh = members_[to_open_++];
            if (!begin(fresh)) return false;
            if (active_.size() == 1) {  // nothing to compare with: it is read as it comes
                select(active_.front());
                return true;
            }
            if (!fresh.has_pending && fetch(fresh) != next_state::packet) close(fresh);
            continue;
        }
        if (none) return false;
        select(*first);
        return true;
    }
}

void capture_set::select(std::size_t n) {
    current_ = n;
    chosen_ = true;
    current_until_ = to_open_ < members_.size() && members_[to_open_].has_first
                         ? members_[to_open_].first_time
                         : forever;
    for (const std::size_t other : active_) {
        if (other != n)
            current_until_ = std::min(current_until_, members_[other].pending.at.time_ns);
    }
}

void capture_set::close(member& m) {
    m.progress = m.file->progress();
    report_file(m);
    report_overlap(m);
    if (m.unread != 0 && m.unread == m.packets) {
        error_ = unread_link_type(m.name, m.unread_types, m.file->interfaces());
    }
    m.file.reset();
    m.has_pending = false;
    std::erase(active_, index_of(m));
    chosen_ = false;
}

// What is to be said about one file, now that it is read.
void capture_set::report_file(const member& m) {
    const auto say = [&](findings::code code, std::uint64_t amount, const std::string& what) {
        const frame_ref last{m.last_time, static_cast<std::uint32_t>(m.packets),
                             static_cast<std::uint32_t>(index_of(m))};
        observations_.on_observation({code, 0, last, amount, m.name + ": " + what});
    };
    const read_problem& why = m.file->problem();
    if (!why.code.empty()) {
        say(findings::code::capture_truncated_file, 0, why.text);
    } else if (m.packets == 0) {
        say(findings::code::capture_no_packets, m.progress.done,
            fmt::format("no packets ({} bytes, header only); was the capture filter right? "
                        "tcpdump -w x.pcap 'tcp port 11210 or tcp port 11111'",
                        grouped(m.progress.done)));
    }
    if (m.unread != 0 && m.unread != m.packets) {
        say(findings::code::capture_unknown_link_type, m.unread,
            fmt::format("{} packets of {} are passed over", grouped(m.unread),
                        link_type_names(m.unread_types)));
    }
    if (m.timeless != 0) {
        say(findings::code::capture_no_time_stamps, m.timeless,
            fmt::format("{} packets have no time stamps (simple packet blocks); the order in the "
                        "file is all there is",
                        grouped(m.timeless)));
    }
}

void capture_set::report_overlap(const member& ended) {
    for (std::size_t n = index_of(ended) + 1; n < to_open_; ++n) {
        const member& later = members_[n];
        if (later.packets == 0 || later.first_time >= ended.last_time) continue;
        const frame_ref at{later.first_time, 1, static_cast<std::uint32_t>(n)};
        observations_.on_observation(
            {findings::code::capture_files_overlap, 0, at, 0,
             fmt::format(
                 "{} starts before {} ends (by {:.1f} s); packets are taken in order of time",
                 later.name, ended.name, seconds(ended.last_time, later.first_time))});
        return;
    }
}

reading_progress capture_set::progress() const noexcept {
    reading_progress sum{0, 0, static_cast<std::uint32_t>(current_)};
    bool known = true;
    for (const member& m : members_) {
        const file_progress p = m.file ? m.file->progress() : m.progress;
        sum.done += p.done;
        sum.total += p.total;
        known = known && p.total != 0;
    }
    if (!known) sum.total = 0;
    return sum;
}

std::vector<file_facts> capture_set::facts() const {
    std::vector<file_facts> all;
    for (const member& m : members_) {
        const std::uint64_t bytes = (m.file != nullptr ? m.file->progress() : m.progress).total;
        all.push_back({m.name, m.packets, bytes, m.first_time, m.last_time});
    }
    return all;
}

void capture_set::finish() {
    if (largest_step_back_ == 0) return;
    observations_.on_observation(
        {findings::code::capture_time_backwards, 0, step_back_at_, 0,
         fmt::format("{}: time stamps go back, most at packet {} (by {:.6f} s); the order in the "
                     "file counts",
                     names_[step_back_at_.file], grouped(step_back_at_.frame),
                     static_cast<double>(largest_step_back_) / 1e9)});
}

}  // namespace cdcscope::capture
