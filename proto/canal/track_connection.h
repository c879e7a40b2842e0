// One connection of the state machine; its parts are in track_*.cpp.
#pragma once

#include <string>
#include <vector>

#include "proto/canal/frame.h"
#include "proto/canal/track_state.h"
#include "proto/canal/view.h"

namespace cdcscope::canal {

using findings::code;
using findings::severity;

struct tracker::state {
    state(world::state& world, const connection_start& begin, findings::finding_sink& out);
    ~state();
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    // track.cpp: packets of the client, and what is common
    track_record feed(const message_input& m);
    void client_packet(const message_input& m, const packet_view& packet, track_record& rec);
    void name_only(const message_input& m, const packet_view& packet, track_record& rec);
    void check_body(const packet_view& packet);
    void name_request(request& r, const request_view& q);
    void judge_login(const request_view& q);
    void judge_filter(const request& r, const request_view& q);
    void judge_get(request& r, const request_view& q);
    [[nodiscard]] bool use_key(key_state& key);
    static void fill(track_record& rec, const request& r);
    static void after(track_record& rec, const key_state* key);

    // track_admin.cpp
    void admin_packet(const message_input& m, const packet_view& packet, track_record& rec);

    // track_pairing.cpp: which request an answer belongs to
    void server_packet(const message_input& m, const packet_view& packet, track_record& rec);
    void handshake(const packet_view& packet);
    void answer_with_messages(const message_input& m, const packet_view& packet, track_record& rec);
    void answer_with_ack(const message_input& m, const packet_view& packet, track_record& rec);
    void unexpected(std::vector<findings::figure> figures, std::string text);
    void good_ack(const message_input& m, track_record& rec);
    void bad_ack(const message_input& m, const ack_view& ack, track_record& rec);
    [[nodiscard]] std::size_t first_always() const noexcept;  // open_.size() if there is none
    [[nodiscard]] std::size_t choose_refused(std::string_view text) const noexcept;
    [[nodiscard]] request take(std::size_t at, const message_input& m, track_record& rec);
    void answered_something();
    void served(const request& r);
    void answers_lost();  // requests that were open at a hole of the server's direction leave

    // track_effects.cpp: CLIENTACK and CLIENTROLLBACK
    void push(request r);
    request pop();
    void apply_leading();
    void apply(request& r);
    void apply_ack(request& r);
    void apply_rollback(request& r);
    void undo(request& r);
    void commit(const request& r);
    void still_open(key_state& key);
    void closed(const batch& b, const key_state& key, std::string_view how, const frame_ref& at);

    // track_rivals.cpp: what another connection did, once it is certain that this one was there
    void tell_rollbacks_of_mine();
    void tell_rivals_of_mine();
    void tell_rivals(std::vector<std::uint64_t> rivals, const std::string& destination,
                     const key_state* key, const frame_ref& first, bool doubt);
    // "2 batches with 11 entries".
    [[nodiscard]] static std::string dropped_text(std::size_t batches, std::uint64_t entries);

    // track_batches.cpp: MESSAGES
    struct delivery;
    void deliver(const message_input& m, const packet_view& packet, const messages_view& v,
                 key_state* key, const request* get, track_record& rec);
    void judge_batch_id(key_state& key, std::int64_t id, delivery& d);
    void restarted(key_state& key);
    void read_entries(byte_view body, key_state* key, delivery& d);
    void read_entry(byte_view bytes, key_state* key, delivery& d);
    static row_change_view read_row_change(const entry_view& e, delivery& d);
    void read_position(const entry_view& e, key_state& key, delivery& d);
    [[nodiscard]] bool unsure(std::string_view file, std::int64_t offset,
                              const key_state& key) const noexcept;
    void read_transaction(const entry_view& e, const row_change_view& change, key_state& key,
                          delivery& d) const;
    void enter(key_state& key, delivery& d);
    void judge_delivery(key_state* key, const request* get, delivery& d, track_record& rec);
    void judge_sizes(const request* get, const delivery& d);
    void judge_outstanding(key_state& key);
    void empty_poll();
    void damaged_batch(byte_view head);

    // track_ends.cpp: time-outs, holes, ends
    void check_times(std::int64_t now);
    void check_requests(std::int64_t now);
    void check_batches(std::int64_t now);
    void hole(direction dir);
    void hole_ends(direction dir, std::uint64_t offset);
    [[nodiscard]] bool sent_in_hole(const request& r) const noexcept;
    void lose_answer(const request& r) noexcept;
    void over_hole(direction dir);
    void fall_behind(bool is);
    void tell_straggling();
    [[nodiscard]] bool may_be_over(std::uint32_t other) const noexcept;
    [[nodiscard]] bool others_behind(const key_state& key) const noexcept;
    void meet_others(key_state& key) const;
    // What is judged happened before what was heard of the key already.
    [[nodiscard]] bool heard_late(const key_state& key) const noexcept;
    void bad_length(direction dir, std::uint32_t length, byte_view behind);
    void end(direction dir, close_kind how);
    void unanswered(std::string_view why, bool answers_unseen);
    void settle_request(request& r, bool over, std::string_view until);
    void settle_batches(lasting_finding& of, const key_state& key, std::string_view verb,
                        std::string_view how, bool over, const frame_ref& at);
    [[nodiscard]] std::vector<findings::figure> wait_figures(const request& r,
                                                             std::int64_t waited) const;
    [[nodiscard]] static std::vector<findings::figure> age_figures(
        const std::vector<std::uint64_t>& batches, std::int64_t age, const key_state& key);
    void settle_sums(key_state& key, bool over);
    void settle_requests(std::string_view until);
    void settle_keys();
    void cut_frames();
    void leave_keys(bool tell);
    void judge_close(direction dir, close_kind how);
    void finish();

    // track_report.cpp: findings
    void begin_event(std::uint32_t event_id, const frame_span& frames) noexcept;
    struct said {
        severity level = severity::note;
        bool uncertain = false;
        frame_ref first;     // empty: the event itself
        bool lasts = false;  // settle() will tell its end
    };
    // At most one finding of a code for an event. Its id if it lasts, else 0.
    std::uint32_t report(code what, const said& how, std::vector<findings::figure> figures,
                         std::string text);
    void settle(std::uint32_t finding, bool over, const frame_ref& at,
                std::vector<findings::figure> figures, std::string text);
    [[nodiscard]] bool reported(code what) const noexcept;
    void malformed(std::string_view what, std::string_view why);

    [[nodiscard]] bool admin() const noexcept { return port == port_kind::admin; }
    // Rules 1, 2 and 16 are notes; rules 4, 5 and 12 of that key are.
    [[nodiscard]] bool doubtful() const noexcept { return pairing_doubt || unordered; }
    [[nodiscard]] bool doubtful(const key_state& key) const noexcept {
        return key.uncertain || doubtful() || others_behind(key);
    }
    [[nodiscard]] std::int64_t now() const noexcept { return where.done.time_ns; }

    world::state& shared;
    findings::finding_sink& sink;
    const std::uint32_t id;
    const std::string server;
    const port_kind port;
    bool from_start[2];

    // The event being judged.
    std::uint32_t event = 0;
    frame_span where;
    std::uint32_t reported_rules = 0;

    // Life of the connection.
    bool foreign = false;  // its server does not begin with a HANDSHAKE
    bool live = true;      // no FIN or RST yet
    bool client_fin = false, server_fin = false, reset = false;
    bool server_spoke_since = false;  // the last of them
    frame_ref unread_from;  // the first of the server's FIN and any RST: nobody reads what the
                            // client sends after it
    bool holes[2] = {false, false};
    bool in_hole[2] = {false, false};  // nothing was heard behind the last one
    bool is_behind = false;
    bool unordered = false;
    bool pending_incomplete[2] = {false, false};
    std::int64_t first_frame_ns = 0, last_frame_ns = 0;  // of its packets; 0: none yet

    // Who is who.
    bool server_spoke = false, client_spoke = false;
    bool version_sent = false, seeds_sent = false;
    server_era era = server_era::unknown;
    bool auth_seen = false, logged_in = false;
    bool login_failed = false;  // and no bypass told of it yet
    bool get_seen = false;
    std::int32_t net_read_timeout = 0;
    bool timeout_asked = false;

    // Requests.
    std::deque<request> open_;
    std::size_t always_open = 0;  // those among them that are always answered
    std::uint64_t next_number = 1;
    std::int64_t last_answer_ns = 0;
    bool pairing_doubt = false;
    // A request from here on, answered, ends the doubt. `after_next_answer`: a request may be
    // hidden, and the next answer may be its.
    static constexpr std::uint64_t after_next_answer = ~std::uint64_t{0};
    std::uint64_t doubt_number = 0;
    std::uint64_t lost_before = 0;  // requests below leave with the client's next packet
    std::int64_t lost_upto = 0;     // end of the last hole of the server's direction

    // Keys.
    std::vector<key_state*> named;
    std::unordered_set<const key_state*> is_named;
    key_state* last_key = nullptr;
    std::uint32_t last_destination = 0;
    struct delivered {
        key_state* key = nullptr;
        std::int64_t id = 0;
        std::uint64_t number = 0;
        std::int64_t at_ns = 0;
    };
    std::deque<delivered>
        unacked;  // rule 13: batches in order of delivery; those acknowledged since are still in it
    struct overdue_batches {
        std::shared_ptr<lasting_finding> finding;
        const key_state* key = nullptr;
    };
    std::vector<overdue_batches> overdue;  // told of, and open

    // Figures of rules 22 and 24.
    std::deque<std::int64_t> empty_polls;
    bool told_polling = false;
    std::uint64_t stalls = 0;
    std::int64_t stalled_ns = 0;
    frame_ref first_stall;
};

// "CLIENTACK", or "type 99".
[[nodiscard]] std::string type_text(port_kind port, std::int32_t type);
// "example, client 1001".
[[nodiscard]] std::string key_text(const key_state* key);
// The server's text up to the first line feed, printable; Java's frame around it is left out.
[[nodiscard]] std::string server_text(std::string_view message);
// destination and clientId, if they are known.
void add_key(std::vector<findings::figure>& figures, const key_state* key);

}  // namespace cdcscope::canal
