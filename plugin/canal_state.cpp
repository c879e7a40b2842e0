#include "plugin/canal_state.h"

#include <deque>

#include "plugin/message_rows.h"
#include "plugin/order_hint.h"

namespace cdcscope {
namespace {

int proto_canal = -1;
findings::thresholds limits;

struct message_row {
    canal::track_record record;
    frame_ref at;
    std::uint32_t response = 0, acked = 0, rolled_back = 0;  // ids of later packets

    [[nodiscard]] std::uint32_t frame_number() const { return at.frame; }
};

// Everything with a destructor; renewed with every (re)load.
class registry final : public canal::observer {
  public:
    registry() : world_(limits, this) {}

    canal::tracker& tracker_of(ws::connection& c, canal::port_kind port) {
        if (c.state == nullptr) c.state = &add(c, port);
        return *static_cast<canal::tracker*>(c.state);
    }
    [[nodiscard]] ws::message_rows<message_row>& rows() { return rows_; }
    [[nodiscard]] const finding_store& found() const { return found_; }

    void on_link(std::uint32_t from, canal::link_kind kind, std::uint32_t to) noexcept override {
        message_row& r = rows_[from];
        switch (kind) {
            case canal::link_kind::answered_by:
                r.response = to;
                break;
            case canal::link_kind::acked_by:
                r.acked = to;
                break;
            case canal::link_kind::dropped_by:
                r.rolled_back = to;
                break;
            case canal::link_kind::acks:
                r.record.batch = to;
                break;
        }
    }

    void finish(const frame_ref& at) {
        if (finished_) return;
        finished_ = true;
        for (open_connection& o : connections_) {
            o.tracker.finish(o.c->last_message, at);
            ws::order_hint::finish(*o.c);
        }
        world_.finish();
    }

  private:
    struct open_connection {
        open_connection(registry& r, const canal::connection_start& start, ws::connection& of)
            : tracker(r.world_, start, r.found_), c(&of) {}
        canal::tracker tracker;
        ws::connection* c;
    };

    canal::tracker& add(ws::connection& c, canal::port_kind port) {
        const std::string server = ws::endpoint(c.server, c.server_port);
        const canal::connection_start start{.id = c.number,
                                            .server = server,
                                            .port = port,
                                            .from_start = {c.from_start, c.from_start}};
        return connections_.emplace_back(*this, start, c).tracker;
    }

    finding_store found_;
    canal::world world_;
    std::deque<open_connection> connections_;
    ws::message_rows<message_row> rows_;
    bool finished_ = false;
};

using life = ws::life_of<registry>;

canal_memory recall(registry& known, std::uint32_t id) {
    if (id == 0) return {};
    ws::message_rows<message_row>& rows = known.rows();
    const message_row& r = rows[id];
    return {.id = id,
            .record = r.record,
            .at = r.at,
            .response = rows[r.response].at,
            .acked = rows[r.acked].at,
            .rolled_back = rows[r.rolled_back].at,
            .request = rows[r.record.request].at,
            .batch = rows[r.record.batch].at};
}

// Calls `feed(tracker, row, frames, first time, id)` for a packet that is seen for the first time.
template <typename Feed>
canal_memory observe(packet_info* pinfo, ws::connection& c, direction dir, canal::port_kind port,
                     unsigned ordinal, bool first_of_buffer, Feed feed) {
    registry* known = life::get();
    if (known == nullptr) return {};
    if (PINFO_FD_VISITED(pinfo)) {
        return recall(*known, ws::id_of(pinfo, proto_canal, ordinal, known->rows()));
    }
    const frame_ref at = ws::frame_of(pinfo);
    const std::uint32_t id = known->rows().add(c, {.record = {}, .at = at});
    const frame_ref& begun = c.begun[index(dir)];
    const frame_ref first = first_of_buffer && begun.frame != 0 ? begun : at;
    ws::keep_first_id(pinfo, proto_canal, ordinal, id);
    feed(known->tracker_of(c, port), known->rows()[id],
         frame_span{.first = first.frame, .last = at.frame, .done = at}, first.time_ns, id);
    ws::order_hint::saw(c, id);
    return recall(*known, id);
}

void on_disturbed(ws::connection& c, direction dir, const ws::tcp_verdict& verdict,
                  const frame_ref&) {
    if (c.state == nullptr) return;
    auto& tracker = *static_cast<canal::tracker*>(c.state);
    if (verdict.hides_messages()) {
        tracker.hole(dir);
        tracker.behind(true);  // TCP keeps back what comes behind it
        c.begun[index(dir)] = {};
    }
    tracker.order_unknown();
}

void on_end(ws::connection& c, direction dir, ws::tcp_end how, const frame_ref& at) {
    if (c.state == nullptr) return;
    auto& tracker = *static_cast<canal::tracker*>(c.state);
    for (const direction d : {direction::c2s, direction::s2c}) {
        const frame_ref& begun = c.begun[index(d)];
        const bool over = how == ws::tcp_end::rst || d == dir;
        if (over && begun.frame != 0 && c.disturbed == 0) {
            tracker.incomplete(d, c.last_message,
                               {.first = begun.frame, .last = at.frame, .done = at});
            c.begun[index(d)] = {};
        }
    }
    tracker.end(dir, how == ws::tcp_end::fin ? canal::close_kind::fin : canal::close_kind::rst,
                c.last_message, at);
    tracker.behind(false);
}

}  // namespace

canal_memory observe_canal(packet_info* pinfo, ws::connection& c, direction dir,
                           canal::port_kind port, unsigned ordinal, byte_view payload, bool cut,
                           bool first_of_buffer) {
    return observe(
        pinfo, c, dir, port, ordinal, first_of_buffer,
        [&](canal::tracker& tracker, message_row& row, const frame_span& frames,
            std::int64_t first_ns, std::uint32_t id) {
            if (cut) return tracker.hole(dir);
            const canal::track_record r = tracker.feed(
                {.id = id, .dir = dir, .payload = payload, .frames = frames, .first_ns = first_ns});
            // A link may have been told meanwhile.
            const std::uint32_t batch = row.record.batch;
            row.record = r;
            if (batch != 0) row.record.batch = batch;
        });
}

canal_memory observe_bad_length(packet_info* pinfo, ws::connection& c, direction dir,
                                canal::port_kind port, unsigned ordinal, std::uint32_t length,
                                byte_view behind) {
    return observe(
        pinfo, c, dir, port, ordinal, true,
        [&](canal::tracker& tracker, message_row&, const frame_span& frames, std::int64_t,
            std::uint32_t id) { tracker.bad_length(dir, length, behind, id, frames); });
}

void show_canal_findings(packet_info* pinfo, proto_item* item, const canal_memory& memory) {
    if (life::get() != nullptr) ws::show_findings(pinfo, item, life::get()->found(), memory.id);
}

findings::thresholds& canal_limits() {
    return limits;
}

void register_canal_state(int proto) {
    proto_canal = proto;
    life::register_routines();
    ws::watch_tcp({.proto = proto, .on_disturbed = on_disturbed, .on_end = on_end});
}

}  // namespace cdcscope
