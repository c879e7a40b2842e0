#include "analyzer/tcp/connection_table.h"

#include <algorithm>
#include <cstring>
#include <queue>
#include <vector>

namespace cdcscope::tcp {

namespace {

// How often a connection in which something is missing looks at the time.
std::int64_t timer_step(const limits& limit) noexcept {
    return std::max<std::int64_t>(limit.settle_ns / 4, 1);
}

}  // namespace

connection_table::connection_table(const limits& limit, std::span<const std::uint16_t> server_ports,
                                   consumer_factory& factory,
                                   capture::observation_sink& observations)
    : limit_(limit), factory_(factory), notes_(observations) {
    for (const std::uint16_t port : server_ports) server_ports_.set(port);
}

std::size_t connection_table::tuple_hash::operator()(const tuple& t) const noexcept {
    std::uint64_t h = std::uint64_t{t.low.port} << 16 | t.high.port;
    const auto mix = [&h](const capture::address& a) {
        std::uint64_t words[2];
        static_assert(sizeof words == sizeof a.bytes);
        std::memcpy(words, a.bytes.data(), sizeof words);
        h = (h ^ words[0]) * 0x9e3779b97f4a7c15ULL;
        h = (h ^ (h >> 32) ^ words[1]) * 0xbf58476d1ce4e5b9ULL;
        h ^= h >> 29;
    };
    mix(t.low.ip);
    mix(t.high.ip);
    return static_cast<std::size_t>(h);
}

connection_table::tuple connection_table::tuple_of(const capture::segment& s) noexcept {
    return s.source < s.destination ? tuple{s.source, s.destination}
                                    : tuple{s.destination, s.source};
}

void connection_table::on_segment(const capture::segment& s) {
    time_ns_ = std::max(time_ns_, s.at.time_ns);
    const arrival now{s.at, ++order_};
    run_timers(now);
    connection& c = find(s, now);
    const direction dir = s.source == c.who().client ? direction::c2s : direction::s2c;
    c.on_segment(s, dir, now, time_ns_);
    settle_accounts(c);
    move_to_end(c);
    if (!c.timer_set && c.wants_timer()) set_timer(c, last_tuple_);
    if (held_ <= limit_.held_total) {
        cannot_go_below_ = 0;
    } else if (held_ > cannot_go_below_) {
        relieve(now);
    }
    forget_old(now);
}

connection& connection_table::find(const capture::segment& s, const arrival& now) {
    const tuple who = tuple_of(s);
    if (last_ == nullptr || !(who == last_tuple_)) {
        const auto found = connections_.find(who);
        last_ = found == connections_.end() ? nullptr : found->second.get();
        last_tuple_ = who;
    }
    if (last_ != nullptr) {
        const direction dir = s.source == last_->who().client ? direction::c2s : direction::s2c;
        if (!last_->is_stranger(s, dir)) return *last_;
        close(connections_.find(who), end_kind::reused, now);
        last_tuple_ = who;
    }
    last_ = &open(who, s);
    return *last_;
}

// A6: the client is who sends the SYN, else who does not hold a known port, else who is seen first.
connection& connection_table::open(const tuple& who, const capture::segment& s) {
    const bool syn = (s.flags & capture::tcp_flag::syn) != 0;
    const bool acknowledges = (s.flags & capture::tcp_flag::ack) != 0;
    const bool to_known = server_ports_.test(s.destination.port);
    const bool from_known = server_ports_.test(s.source.port);
    const bool from_server = syn ? acknowledges : from_known && !to_known;
    connection_identity identity;
    identity.id = ++count_;
    identity.client = from_server ? s.destination : s.source;
    identity.server = from_server ? s.source : s.destination;
    identity.roles_certain = syn || from_known != to_known;
    identity.from_syn = syn;
    identity.first = s.at;
    auto made = std::make_unique<connection>(identity, services{limit_, rings_, notes_});
    made->attach(factory_.open(*made));
    connection& c = *made;
    c.in_list = open_.insert(open_.end(), &c);
    connections_.emplace(who, std::move(made));
    return c;
}

void connection_table::close(map::iterator which, end_kind how, const arrival& now) {
    connection& c = *which->second;
    c.close(how, now, time_ns_);
    held_ -= c.accounted;
    (c.in_closing_list ? closing_ : open_).erase(c.in_list);
    if (last_ == &c) last_ = nullptr;
    connections_.erase(which);
}

void connection_table::settle_accounts(connection& c) {
    const std::uint64_t holds = c.held();
    held_ = held_ - c.accounted + holds;
    c.accounted = holds;
    most_held_ = std::max(most_held_, held_);
}

void connection_table::move_to_end(connection& c) {
    std::list<connection*>& from = c.in_closing_list ? closing_ : open_;
    std::list<connection*>& to = c.is_closing() ? closing_ : open_;
    to.splice(to.end(), from, c.in_list);
    c.in_closing_list = c.is_closing();
}

void connection_table::set_timer(connection& c, const tuple& who) {
    c.timer_set = true;
    timers_.push_back({time_ns_ + timer_step(limit_), who, c.who().id});
}

void connection_table::run_timers(const arrival& now) {
    // What is set while this runs is due later.
    while (!timers_.empty() && timers_.front().due_ns <= time_ns_) {
        const timer t = timers_.front();
        timers_.pop_front();
        const auto found = connections_.find(t.who);
        if (found == connections_.end() || found->second->who().id != t.id) continue;
        connection& c = *found->second;
        c.timer_set = false;
        c.on_time(now, time_ns_);
        settle_accounts(c);
        if (c.wants_timer()) set_timer(c, t.who);
    }
}

void connection_table::forget_old(const arrival& now) {
    const auto close_front = [&](std::list<connection*>& list) {
        const connection& c = *list.front();
        const tuple who = c.who().client < c.who().server ? tuple{c.who().client, c.who().server}
                                                          : tuple{c.who().server, c.who().client};
        close(connections_.find(who), end_kind::timed_out, now);
    };
    while (!closing_.empty() &&
           time_ns_ - closing_.front()->last_time_ns() > limit_.forget_closed_ns)
        close_front(closing_);
    while (!open_.empty() && time_ns_ - open_.front()->last_time_ns() > limit_.forget_idle_ns)
        close_front(open_);
}

// I1. Goes an eighth below the cap, so that looking for the largest holders is paid for by what
// they let go.
void connection_table::relieve(const arrival& now) {
    const auto smaller = [](const connection* a, const connection* b) {
        return a->accounted != b->accounted ? a->accounted < b->accounted
                                            : a->who().id > b->who().id;
    };
    std::priority_queue<connection*, std::vector<connection*>, decltype(smaller)> holders(smaller);
    for (auto& [who, c] : connections_) {
        if (c->accounted > 0) holders.push(c.get());
    }
    const std::uint64_t enough = limit_.held_total - limit_.held_total / 8;
    while (held_ > enough && !holders.empty()) {
        connection* c = holders.top();
        holders.pop();
        const std::uint64_t before = c->accounted;
        c->relieve(now, time_ns_);
        settle_accounts(*c);
        if (c->accounted > 0 && c->accounted < before) holders.push(c);
    }
    // Where nobody can let go there is no use in asking at each segment.
    cannot_go_below_ = held_ > enough ? held_ + limit_.held_total / 8 : 0;
}

void connection_table::finish() {
    std::vector<connection*> all;
    all.reserve(connections_.size());
    for (auto& [who, c] : connections_) all.push_back(c.get());
    std::sort(all.begin(), all.end(),
              [](const connection* a, const connection* b) { return a->who().id < b->who().id; });
    const arrival end{{}, ++order_};
    for (connection* c : all) c->close(end_kind::end_of_capture, end, time_ns_);
    connections_.clear();
    open_.clear();
    closing_.clear();
    timers_.clear();
    last_ = nullptr;
    held_ = 0;
}

}  // namespace cdcscope::tcp
