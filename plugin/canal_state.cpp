#include "plugin/canal_state.h"

#include <deque>
#include <memory>
#include <string>

#include "plugin/boundary.h"
#include "plugin/experts.h"
#include "plugin/finding_store.h"
#include "plugin/tcp_watch.h"
#include "plugin/text.h"

namespace cdcscope {
namespace {

constexpr std::uint32_t ids_key = 0x69647300;  // of p_add_proto_data()

int proto_canal = -1;
findings::thresholds limits;

struct message_row {
    canal::track_record record;
    frame_ref at;
    std::uint32_t response = 0, acked = 0, rolled_back = 0;  // ids of later packets
};

// Everything with a destructor; renewed with every (re)load.
class registry final : public canal::observer {
  public:
    registry() : world_(limits, this) { rows_.emplace_back(); }  // id 0 is none

    canal::tracker& tracker_of(ws::connection& c, canal::port_kind port) {
        if (c.state == nullptr) c.state = &add(c, port);
        return *static_cast<canal::tracker*>(c.state);
    }
    std::uint32_t next_id(ws::connection& c, const frame_ref& at) {
        rows_.emplace_back().at = at;
        c.last_message = static_cast<std::uint32_t>(rows_.size() - 1);
        return c.last_message;
    }
    [[nodiscard]] message_row& row(std::uint32_t id) { return rows_[id < rows_.size() ? id : 0]; }
    [[nodiscard]] const finding_store& found() const { return found_; }

    void on_link(std::uint32_t from, canal::link_kind kind, std::uint32_t to) noexcept override {
        message_row& r = row(from);
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
        for (open_connection& o : connections_) o.tracker.finish(o.c->last_message, at);
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
        char* address = address_to_str(nullptr, &c.server);
        const std::string server = std::string(address) + ":" + std::to_string(c.server_port);
        wmem_free(nullptr, address);
        const canal::connection_start start{.id = c.number,
                                            .server = server,
                                            .port = port,
                                            .from_start = {c.from_start, c.from_start}};
        return connections_.emplace_back(*this, start, c).tracker;
    }

    finding_store found_;
    canal::world world_;
    std::deque<open_connection> connections_;
    std::deque<message_row> rows_;
    bool finished_ = false;
};

std::unique_ptr<registry> known;

void init() {
    (void)ws::quiet_boundary([] { known = std::make_unique<registry>(); });
}
void cleanup() {
    known.reset();
}
void at_end_of_capture() {
    (void)ws::quiet_boundary([] {
        if (known != nullptr) known->finish(ws::last_frame());
    });
}

// The ids of a frame's packets follow each other: only the first is kept.
std::uint32_t id_of(packet_info* pinfo, unsigned ordinal) {
    const void* first = p_get_proto_data(wmem_file_scope(), pinfo, proto_canal, ids_key);
    if (first == nullptr) return 0;
    const std::uint32_t id = GPOINTER_TO_UINT(first) + ordinal;
    return known->row(id).at.frame == pinfo->num ? id : 0;
}

canal_memory recall(std::uint32_t id) {
    if (id == 0) return {};
    const message_row& r = known->row(id);
    return {.id = id,
            .record = r.record,
            .at = r.at,
            .response = known->row(r.response).at,
            .acked = known->row(r.acked).at,
            .rolled_back = known->row(r.rolled_back).at,
            .request = known->row(r.record.request).at,
            .batch = known->row(r.record.batch).at};
}

// Calls `feed(tracker, id, frames)` for a packet that is seen for the first time.
template <typename Feed>
canal_memory observe(packet_info* pinfo, ws::connection& c, direction dir, canal::port_kind port,
                     unsigned ordinal, bool first_of_buffer, Feed feed) {
    if (known == nullptr) return {};
    if (PINFO_FD_VISITED(pinfo)) return recall(id_of(pinfo, ordinal));
    const frame_ref at = ws::frame_of(pinfo);
    const std::uint32_t id = known->next_id(c, at);
    const frame_ref& begun = c.begun[index(dir)];
    const frame_ref first = first_of_buffer && begun.frame != 0 ? begun : at;
    if (ordinal == 0)
        p_add_proto_data(wmem_file_scope(), pinfo, proto_canal, ids_key, GUINT_TO_POINTER(id));
    feed(known->tracker_of(c, port), id,
         frame_span{.first = first.frame, .last = at.frame, .done = at}, first.time_ns);
    return recall(id);
}

void on_disturbed(ws::connection& c, direction dir, const ws::tcp_verdict& verdict,
                  const frame_ref&) {
    if (c.state == nullptr) return;
    auto& tracker = *static_cast<canal::tracker*>(c.state);
    if (verdict.lost_segment && !ws::tcp_waits_for_holes()) {
        tracker.hole(dir);
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
}

}  // namespace

canal_memory observe_canal(packet_info* pinfo, ws::connection& c, direction dir,
                           canal::port_kind port, unsigned ordinal, byte_view payload, bool cut,
                           bool first_of_buffer) {
    return observe(
        pinfo, c, dir, port, ordinal, first_of_buffer,
        [&](canal::tracker& tracker, std::uint32_t id, const frame_span& frames,
            std::int64_t first_ns) {
            if (cut) return tracker.hole(dir);
            const canal::track_record r = tracker.feed(
                {.id = id, .dir = dir, .payload = payload, .frames = frames, .first_ns = first_ns});
            // A link may have been told meanwhile.
            const std::uint32_t batch = known->row(id).record.batch;
            known->row(id).record = r;
            if (batch != 0) known->row(id).record.batch = batch;
        });
}

canal_memory observe_bad_length(packet_info* pinfo, ws::connection& c, direction dir,
                                canal::port_kind port, unsigned ordinal, std::uint32_t length,
                                byte_view behind) {
    return observe(pinfo, c, dir, port, ordinal, true,
                   [&](canal::tracker& tracker, std::uint32_t id, const frame_span& frames,
                       std::int64_t) { tracker.bad_length(dir, length, behind, id, frames); });
}

void show_canal_findings(packet_info* pinfo, proto_item* item, const canal_memory& memory) {
    if (memory.id == 0 || known == nullptr) return;
    known->found().each(memory.id, [&](const findings::finding& f) {
        add_expert(pinfo, item, f.what, f.level, ws::printable(pinfo, as_bytes(f.text), 1000));
    });
}

findings::thresholds& canal_limits() {
    return limits;
}

void register_canal_state(int proto) {
    proto_canal = proto;
    register_init_routine(init);
    register_cleanup_routine(cleanup);
    register_postseq_cleanup_routine(at_end_of_capture);
    ws::watch_tcp({.proto = proto, .on_disturbed = on_disturbed, .on_end = on_end});
}

}  // namespace cdcscope
