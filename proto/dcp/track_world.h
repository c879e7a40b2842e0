// What several connections know together: buckets' histories, names in use, streams given up,
// positions reached, writes answered (D26, D48, D51, D52, D54).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "proto/wire/frame_ref.h"

namespace cdcscope::dcp {

// A text of the capture as a number: equal numbers, equal texts. 0 is the empty text.
using text_id = std::uint32_t;

// A stream that ended or was refused and was not asked for again yet (D51).
struct abandonment {
    std::int64_t since = 0;
    std::int64_t deadline = 0;
    bool asked_again = false;  // within the limit
    bool over = false;         // asked for at any time
    std::int64_t over_at = 0;
};

class shared_knowledge {
  public:
    [[nodiscard]] text_id intern(std::string_view text);

    // Counts the events of all connections.
    std::uint64_t next_order() noexcept { return ++order_; }

    // --- D26
    struct history {
        std::uint64_t uuid = 0;
        frame_ref at;
        std::uint32_t connection = 0;
    };
    // Remembers the newest entry of a log; gives the one before it (uuid 0: none).
    history newest_history(text_id bucket, std::uint16_t vbucket, const history& now);

    // --- D48
    // Number of a live connection with this name to this server, 0 if there is none.
    [[nodiscard]] std::uint32_t open_name(text_id server, text_id name, std::uint32_t connection);
    void close_name(text_id server, text_id name, std::uint32_t connection);

    // --- D51
    void dcp_opened(text_id client, text_id bucket, text_id server);
    [[nodiscard]] bool opened_elsewhere(text_id client, text_id bucket, text_id server) const;
    std::shared_ptr<abandonment> abandon(text_id client, text_id bucket, std::uint16_t vbucket,
                                         std::int64_t now, std::int64_t limit);
    void asked(text_id client, text_id bucket, std::uint16_t vbucket, std::int64_t now);
    // Something that the client sent or got was not captured. Order of the event before it.
    void hole(text_id client) { holes_[client] = order_; }
    [[nodiscard]] bool hole_since(text_id client, std::uint64_t order) const;
    [[nodiscard]] std::uint64_t order() const noexcept { return order_; }

    // --- D52
    struct position {
        std::uint64_t highest = 0;    // received
        std::uint64_t resumable = 0;  // where it could have gone on
        std::uint64_t order = 0;      // of the last item
        std::uint64_t closed = 0;     // of the connection's end
        std::int64_t closed_ns = 0;   // its time: a hole may have kept one of the two back
        bool unsure = false;          // the connection had a hole, which may have held a rollback
        std::uint32_t connection = 0;
    };
    struct stream_identity {
        text_id name = 0, bucket = 0, selection = 0;  // selection: stream id, scope, collections
        std::uint16_t vbucket = 0;
        std::uint64_t uuid = 0;
        auto operator<=>(const stream_identity&) const = default;
    };
    void reached(const stream_identity& stream, const position& at);
    void rolled_back(text_id name, text_id bucket, std::uint16_t vbucket);
    // The furthest position that an earlier connection reached, closed before `asked`; null if none
    // or if a rollback came since.
    [[nodiscard]] const position* earlier(const stream_identity& stream, std::uint64_t asked,
                                          std::int64_t asked_ns) const;

    // --- D54
    struct written {
        std::int64_t time = 0;
        frame_ref at;
        std::uint32_t connection = 0;
    };
    void wrote(text_id bucket, std::uint16_t vbucket, std::uint64_t uuid, std::uint64_t seqno,
               const written& when);
    [[nodiscard]] bool any_writes() const noexcept { return !writes_.empty(); }
    [[nodiscard]] const written* write_of(text_id bucket, std::uint16_t vbucket, std::uint64_t uuid,
                                          std::uint64_t seqno) const;
    // Writes are worth remembering only where a DCP connection is.
    void dcp_seen() noexcept { dcp_seen_ = true; }

  private:
    struct place {  // a vbucket of a bucket, for whom (a client, a name, nobody)
        text_id whose = 0, bucket = 0;
        std::uint16_t vbucket = 0;
        auto operator<=>(const place&) const = default;
    };
    struct write_key {
        std::uint64_t uuid = 0, seqno = 0;
        text_id bucket = 0;
        std::uint16_t vbucket = 0;
        bool operator==(const write_key&) const = default;
    };
    struct write_hash {
        std::size_t operator()(const write_key& k) const noexcept {
            return static_cast<std::size_t>(
                (k.seqno ^ k.uuid * 31 ^ std::uint64_t{k.vbucket} << 48) * 0x9e3779b97f4a7c15ULL);
        }
    };
    struct two {
        text_id a = 0, b = 0;
        auto operator<=>(const two&) const = default;
    };

    std::uint64_t order_ = 0;
    std::unordered_map<std::string, text_id> texts_;
    text_id newest_text_ = 0;
    std::map<place, history> histories_;
    std::map<two, std::set<std::uint32_t>> names_;  // server, name: live connections
    std::map<two, std::vector<text_id>> servers_;   // client, bucket: servers with DCP_OPEN
    std::map<place, std::vector<std::shared_ptr<abandonment>>> abandoned_;
    std::unordered_map<text_id, std::uint64_t> holes_;  // by client
    std::map<stream_identity, position> positions_;
    std::map<place, std::uint64_t> rollbacks_;  // order of the last one
    std::unordered_map<write_key, written, write_hash> writes_;
    std::deque<write_key> writes_in_order_;
    bool dcp_seen_ = false;
};

}  // namespace cdcscope::dcp
