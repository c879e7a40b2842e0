// What several connections know together.
#include "proto/dcp/track_world.h"

#include <algorithm>
#include <utility>

namespace cdcscope::dcp {
namespace {

// Caps of what is remembered over the whole capture. Beyond them the rules miss what is new, and
// never say anything wrong.
constexpr std::size_t most_texts = 1U << 16;
constexpr std::size_t most_places = 1U << 20;
constexpr std::size_t most_writes = 1U << 16;

}  // namespace

text_id shared_knowledge::intern(std::string_view text) {
    if (text.empty()) return 0;
    const auto found = texts_.find(std::string(text));
    if (found != texts_.end()) return found->second;
    // Of more than are remembered each is one of its own: what is not known to be equal is not.
    const text_id id = ++newest_text_;
    if (texts_.size() < most_texts) texts_.emplace(text, id);
    return id;
}

shared_knowledge::history shared_knowledge::newest_history(text_id bucket, std::uint16_t vbucket,
                                                           const history& now) {
    const place where{0, bucket, vbucket};
    const auto found = histories_.find(where);
    if (found != histories_.end()) return std::exchange(found->second, now);
    if (histories_.size() < most_places) histories_.emplace(where, now);
    return {};
}

std::uint32_t shared_knowledge::open_name(text_id server, text_id name, std::uint32_t connection) {
    std::set<std::uint32_t>& live = names_[{server, name}];
    const std::uint32_t other = live.empty() ? 0 : *live.rbegin();
    return live.insert(connection).second ? other : 0;
}

void shared_knowledge::close_name(text_id server, text_id name, std::uint32_t connection) {
    const auto found = names_.find({server, name});
    if (found == names_.end()) return;
    found->second.erase(connection);
    if (found->second.empty()) names_.erase(found);
}

void shared_knowledge::dcp_opened(text_id client, text_id bucket, text_id server) {
    std::vector<text_id>& servers = servers_[{client, bucket}];
    constexpr std::size_t most_servers = 1024;
    if (servers.size() == most_servers ||
        std::find(servers.begin(), servers.end(), server) != servers.end())
        return;
    servers.push_back(server);
}

bool shared_knowledge::opened_elsewhere(text_id client, text_id bucket, text_id server) const {
    const auto found = servers_.find({client, bucket});
    if (found == servers_.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(),
                       [&](text_id s) { return s != server; });
}

std::shared_ptr<abandonment> shared_knowledge::abandon(text_id client, text_id bucket,
                                                       std::uint16_t vbucket, std::int64_t now,
                                                       std::int64_t limit) {
    auto left = std::make_shared<abandonment>();
    left->since = now;
    left->deadline = now + limit;
    auto& of_place = abandoned_[{client, bucket, vbucket}];
    constexpr std::size_t most_of_a_place = 64;
    if (of_place.size() == most_of_a_place) of_place.erase(of_place.begin());
    of_place.push_back(left);
    return left;
}

void shared_knowledge::asked(text_id client, text_id bucket, std::uint16_t vbucket,
                             std::int64_t now) {
    const auto found = abandoned_.find({client, bucket, vbucket});
    if (found == abandoned_.end()) return;
    for (const auto& each : found->second) {
        each->over = true;
        each->over_at = now;
        each->asked_again = now <= each->deadline;
    }
    abandoned_.erase(found);
}

bool shared_knowledge::hole_since(text_id client, std::uint64_t order) const {
    const auto found = holes_.find(client);
    return found != holes_.end() && found->second >= order;
}

void shared_knowledge::reached(const stream_identity& stream, const position& at) {
    const auto found = positions_.find(stream);
    if (found == positions_.end()) {
        if (positions_.size() < most_places) positions_.emplace(stream, at);
        return;
    }
    const auto back = rollbacks_.find({stream.name, stream.bucket, stream.vbucket});
    const bool stale = back != rollbacks_.end() && found->second.order < back->second;
    if (stale || at.highest > found->second.highest) found->second = at;
}

void shared_knowledge::rolled_back(text_id name, text_id bucket, std::uint16_t vbucket) {
    const place where{name, bucket, vbucket};
    if (rollbacks_.size() < most_places || rollbacks_.contains(where)) rollbacks_[where] = order_;
}

const shared_knowledge::position* shared_knowledge::earlier(const stream_identity& stream,
                                                            std::uint64_t asked,
                                                            std::int64_t asked_ns) const {
    const auto found = positions_.find(stream);
    if (found == positions_.end() || found->second.closed > asked ||
        found->second.closed_ns > asked_ns)
        return nullptr;
    const auto back = rollbacks_.find({stream.name, stream.bucket, stream.vbucket});
    if (back != rollbacks_.end() && found->second.order < back->second) return nullptr;
    return &found->second;
}

void shared_knowledge::wrote(text_id bucket, std::uint16_t vbucket, std::uint64_t uuid,
                             std::uint64_t seqno, const written& when) {
    if (!dcp_seen_) return;
    const write_key key{uuid, seqno, bucket, vbucket};
    if (!writes_.emplace(key, when).second) return;
    writes_in_order_.push_back(key);
    if (writes_in_order_.size() <= most_writes) return;
    writes_.erase(writes_in_order_.front());
    writes_in_order_.pop_front();
}

const shared_knowledge::written* shared_knowledge::write_of(text_id bucket, std::uint16_t vbucket,
                                                            std::uint64_t uuid,
                                                            std::uint64_t seqno) const {
    const auto found = writes_.find({uuid, seqno, bucket, vbucket});
    return found == writes_.end() ? nullptr : &found->second;
}

}  // namespace cdcscope::dcp
