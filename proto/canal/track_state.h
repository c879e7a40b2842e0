// What the state machine remembers: batches, keys, destinations, open requests.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "proto/canal/track.h"

namespace cdcscope::canal {

// Limits of what is remembered, so that no capture makes the state grow without end.
inline constexpr std::size_t most_keys = 1U << 16;
inline constexpr std::size_t most_destinations = 1U << 12;
inline constexpr std::size_t longest_name =
    1024;  // of a destination, client id or binlog file; longer ones are not tracked
inline constexpr std::size_t most_of_filter = 4096;     // bytes kept of a filter
inline constexpr std::size_t most_requests = 1U << 12;  // open ones of a connection
inline constexpr std::size_t most_batches = 1U << 11;   // open ones of a key
inline constexpr std::size_t most_named = 1U << 12;     // keys that one connection names
inline constexpr std::size_t most_past = 1U << 12;      // closed batch ids of a key
inline constexpr std::size_t most_skips = 1U << 10;     // runs of batch ids that did not come
inline constexpr std::size_t most_pieces = 64;  // batches of one transaction that are listed

// Ids of findings that go on count from here, those of DCP from 1: one sink may get both.
inline constexpr std::uint32_t first_finding_id = 1U << 31;

// A binlog position. Files compare by the number behind the last dot, else as text.
struct position {
    std::string file;
    std::int64_t offset = 0;
};
// <0, 0, >0: is (file, offset) before, at or behind `p`?
[[nodiscard]] int compare(std::string_view file, std::int64_t offset, const position& p) noexcept;

// A finding of rule 13 that goes on until its batches are closed, or the sums are below their
// limits.
struct lasting_finding {
    std::uint32_t id = 0;  // 0: nothing goes on
    frame_ref since;
    std::vector<std::uint64_t> batches;      // by time: the first of them
    std::size_t open = 0;                    // by time: how many are
    std::uint64_t most = 0, most_bytes = 0;  // sums: at their highest
    std::int64_t oldest = 0;                 // sums
};

struct batch {
    batch_facts facts;
    std::uint64_t number = 0;   // counts the key's deliveries
    position last;              // of its last entry
    bool told_unacked = false;  // rule 13
    std::shared_ptr<lasting_finding> overdue;
};
using batch_map = std::map<std::int64_t, batch>;

enum class past_batch : std::uint8_t { acked, rolled_back };

enum class inside : std::uint8_t { unknown, no, yes };

struct transaction_state {
    inside open = inside::unknown;
    bool begin_seen_ever = false;
    std::uint64_t rows = 0;
    std::vector<std::int64_t> batches;

    // What comes next may begin anywhere.
    void lose() noexcept {
        open = inside::unknown;
        rows = 0;
        batches.clear();
    }
};

struct destination_state;

// A run of batch ids that did not come.
struct skipped_batches {
    std::int64_t first = 0, last = 0;
    bool doubt = false;  // a hole may have held them
};

// Server, destination, client id: what batches belong to.
struct key_state {
    std::uint32_t index = 0;
    destination_state* destination = nullptr;
    std::string client_id;
    std::vector<std::uint32_t> users;  // live connections that named it

    batch_map open;
    std::uint64_t open_bytes = 0;
    bool told_count = false, told_bytes = false;  // rule 13, until it is below again
    lasting_finding sums;
    std::map<std::int64_t, past_batch> past;
    std::vector<skipped_batches> skipped;

    std::int64_t heard_ns = INT64_MIN;  // the latest of what was said of it
    std::uint64_t deliveries = 0;
    std::int64_t last_id = 0;           // the highest
    std::uint32_t last_connection = 0;  // that brought the batch before
    std::optional<position> highest;    // delivered
    std::optional<position> batch_end;  // last entry of the batch before
    std::optional<position> expected;   // entries up to here may come again
    std::optional<position> acked;      // last entry of the newest batch acknowledged
    std::uint64_t lost_gets = 0;        // left unanswered by connections that have ended
    transaction_state transaction;

    bool uncertain = false;   // rules 4, 5, 12, until clear_doubt()
    std::uint64_t doubt = 0;  // deliveries when the hole came; rule 13 doubts batches up to here
    std::int64_t unseen_below = 0;         // smaller ids may have been handed out unseen
    std::optional<position> unsure_again;  // entries up to here may come again: a rollback may have
                                           // been hidden

    // Batches handed out up to now may have been closed, others handed out unseen.
    void begin_doubt();
    void clear_doubt() noexcept;
    // May the batch have been handed out unseen?
    [[nodiscard]] bool may_be_unseen(std::int64_t id) const noexcept;
    [[nodiscard]] bool was_skipped(std::int64_t id) const noexcept;
    void remember(std::int64_t id, past_batch what);
};

struct getter {
    std::uint32_t connection = 0;
    std::int64_t at_ns = 0;
    std::uint32_t frame = 0;
};

// Server and destination: filters and consumers.
struct destination_state {
    std::uint32_t index = 0;
    std::string server;
    std::string name;
    std::uint32_t rank = 0;
    std::string filter;           // last one that was not empty: its first bytes,
    std::size_t filter_size = 0;  // its length
    std::size_t filter_hash = 0;  // and its hash
    std::vector<getter> getters;  // last GET of each live connection
    // Pairs of connections, rule 17: told of, and told of with doubt.
    std::unordered_set<std::uint64_t> told, told_unsure;
};

struct request {
    std::uint64_t number = 0;
    std::uint32_t id = 0;
    std::int64_t acknowledges = -1;  // as message_input
    frame_ref at;
    std::int32_t type = 0;
    answered how = answered::always;
    bool login = false;           // parsed by the server as ClientAuth, whatever its type
    bool no_name = false;         // destination or client id is empty
    bool told = false;            // rule 1
    std::uint32_t finding = 0;    // of rule 1, while it waits
    std::int64_t waits_from = 0;  // as that counts
    bool applied = false;         // on_error: it took effect
    bool never_late = false;      // GET that may block for ever
    bool after_get = false;       // the connection had sent a GET before
    key_state* key = nullptr;
    destination_state* destination = nullptr;
    std::int64_t batch_id = 0;
    std::int32_t fetch_size = 0;
    std::int64_t wait_ns = 0;      // asked for
    batch_map dropped;             // on_error, applied: what it closed
    std::uint32_t dropped_of = 0;  // CLIENTROLLBACK: the connection that rollback_in_doubt is of
    std::optional<position> expected_before;              // CLIENTROLLBACK, applied: to undo it
    std::optional<position> acked_before;                 // CLIENTACK, applied
    std::optional<transaction_state> transaction_before;  // likewise
    bool past_recorded = false;
};

[[nodiscard]] constexpr bool is(std::int32_t type, packet_type which) noexcept {
    return type == static_cast<std::int32_t>(which);
}

// A connection that is not heard of as soon as others are, or perhaps no more.
struct straggler {
    bool behind = false;       // something of it is waited for
    bool may_be_over = false;  // a hole may have held its end
};

// A rollback dropped batches of another connection of which it is not known whether it was still
// there: rule 10, once it is heard again.
struct rollback_in_doubt {
    std::uint32_t by = 0;  // connection
    std::uint32_t message = 0;
    frame_ref at;
    bool automatic = false;
    const key_state* key = nullptr;
    std::int64_t batch_id = 0;
    std::size_t dropped = 0;
    std::uint64_t entries = 0;
    std::vector<std::uint64_t> batches;
};

// A GET of a destination that another connection gets from, too, if that was still there: rule 17,
// once it is heard again.
struct rival_in_doubt {
    std::uint32_t by = 0;  // connection
    frame_ref at;
    destination_state* destination = nullptr;
    const key_state* key = nullptr;
};

struct world::state {
    findings::thresholds limits;
    observer* watching = nullptr;
    std::vector<std::unique_ptr<key_state>> keys;
    std::vector<std::unique_ptr<destination_state>> destinations;
    std::unordered_map<std::string, key_state*> key_by_name;
    std::unordered_map<std::string, destination_state*> destination_by_name;
    std::unordered_map<std::string, std::uint32_t> servers_of_name;
    // Connections without FIN or RST, and when they were heard of last.
    std::unordered_map<std::uint32_t, const std::int64_t*> live;
    std::unordered_map<std::uint32_t, straggler> stragglers;  // by connection
    std::int64_t lost_ns =
        INT64_MIN;       // the last time at which the capture is known to lack packets
    bool lossy = false;  // some connection has had a hole
    int unheard = 0;     // connections of which nothing was heard yet
    // By the connection whose batches they dropped.
    std::unordered_map<std::uint32_t, std::vector<rollback_in_doubt>> in_doubt;
    // By the other connection.
    std::unordered_map<std::uint32_t, std::vector<rival_in_doubt>> rivals_in_doubt;
    std::uint32_t last_finding = first_finding_id;
    std::string scratch;

    // Null when the cap is reached (or the name is empty).
    destination_state* destination(std::string_view server, std::string_view name);
    key_state* key(destination_state* destination, std::string_view client_id);
    [[nodiscard]] straggler straggling(std::uint32_t connection) const noexcept;
    void set_straggling(std::uint32_t connection, const straggler& s);
    void link(std::uint32_t from, link_kind kind, std::uint32_t to) const noexcept {
        if (watching != nullptr && from != 0) watching->on_link(from, kind, to);
    }
    void tell(const batch& b, batch_fate fate, std::uint32_t closer,
              const frame_ref& at) const noexcept;
};

}  // namespace cdcscope::canal
