#include "plugin/dcp_state.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "plugin/dcp_preferences.h"
#include "plugin/message_rows.h"
#include "plugin/order_hint.h"
#include "proto/dcp/track.h"

namespace cdcscope {
namespace {

using dcp::field_id;

int proto_connection = -1;
findings::thresholds limits;

// What is kept of a message; a capture has many. Of the state machine's record all that is shown
// again; what belongs to a snapshot is kept with its marker.
struct message_row {
    std::int64_t elapsed_ns = -1;
    std::uint32_t frame = 0;
    std::uint32_t request = 0, prepare = 0, opened_by = 0, marker = 0;  // ids of earlier messages
    std::uint32_t later = 0;            // id of the response, or of what completed the prepare
    std::uint32_t acknowledged_in = 0;  // id of a BUFFER_ACK
    std::uint32_t stream = 0, snapshot = 0;
    std::uint32_t outstanding = 0, window = 0;
    std::uint32_t names = 0;  // index of collection_names
    std::uint16_t partition = 0;
    dcp::decode_context context = {};
    bool has_partition : 1 = false;
    bool flow_known : 1 = false;
    bool is_abort : 1 = false;

    [[nodiscard]] std::uint32_t frame_number() const { return frame; }
};
static_assert(std::is_trivially_copyable_v<message_row> && sizeof(message_row) <= 64);

struct collection_names {
    std::string scope, collection;
};

dcp::collections_choice choice() {
    switch (dcp_preferences().collections) {
        case collections_choice::on:
            return dcp::collections_choice::on;
        case collections_choice::off:
            return dcp::collections_choice::off;
        case collections_choice::automatic:
            return dcp::collections_choice::judge;
    }
    return dcp::collections_choice::judge;
}

// Everything with a destructor; renewed with every (re)load.
class registry final : public dcp::link_sink {
  public:
    registry() : world_({.findings = &found_, .links = this, .watch = nullptr}, limits, choice()) {
        names_.emplace_back();
    }

    dcp::connection& connection_of(ws::connection& c) {
        if (c.state == nullptr) c.state = &add(c);
        return *static_cast<dcp::connection*>(c.state);
    }
    [[nodiscard]] ws::message_rows<message_row>& rows() { return rows_; }
    [[nodiscard]] const finding_store& found() const { return found_; }
    [[nodiscard]] const collection_names& names(std::uint32_t index) const { return names_[index]; }

    void on_link(dcp::link_kind kind, std::uint32_t earlier,
                 std::uint32_t later) noexcept override {
        message_row& r = rows_[earlier];
        (kind == dcp::link_kind::acknowledgement ? r.acknowledged_in : r.later) = later;
    }

    // The same names are kept once.
    std::uint32_t intern(const dcp::connection_names::collection_name& name) {
        if (name.collection.empty() && name.scope.empty()) return 0;
        auto [at, added] =
            index_of_names_.try_emplace({std::string(name.scope), std::string(name.collection)},
                                        static_cast<std::uint32_t>(names_.size()));
        if (added) names_.push_back({at->first.first, at->first.second});
        return at->second;
    }

    void keep(std::uint32_t id, const dcp::track_record& r) {
        message_row& to = rows_[id];
        to.elapsed_ns = r.elapsed_ns;
        to.request = r.request;
        to.prepare = r.prepare;
        to.opened_by = r.opened_by;
        to.marker = r.marker;
        to.stream = r.stream;
        to.snapshot = r.snapshot;
        to.outstanding = r.outstanding;
        to.window = r.window;
        to.partition = r.partition;
        to.context = r.context;
        to.has_partition = r.has_partition;
        to.flow_known = r.flow_known;
        if (r.marker != 0) snapshot_ends_.try_emplace(r.marker, r.snapshot_end);
    }
    [[nodiscard]] std::uint64_t snapshot_end(std::uint32_t marker) const {
        const auto at = snapshot_ends_.find(marker);
        return at == snapshot_ends_.end() ? 0 : at->second;
    }

    void finish(const frame_ref& at) {
        if (finished_) return;
        finished_ = true;
        for (open_connection& o : connections_) {
            o.tracked->finish(at, o.c->last_message);
            ws::order_hint::finish(*o.c);
        }
    }

  private:
    struct open_connection {
        std::unique_ptr<dcp::connection> tracked;
        ws::connection* c;
    };

    dcp::connection& add(ws::connection& c) {
        dcp::connection_setup setup{.id = c.number,
                                    .client = ws::endpoint(c.client, c.client_port),
                                    .server = ws::endpoint(c.server, c.server_port),
                                    .from_start = c.from_start};
        connections_.push_back({world_.add(std::move(setup)), &c});
        return *connections_.back().tracked;
    }

    finding_store found_;
    dcp::world world_;
    std::deque<open_connection> connections_;  // do not outlive the world
    ws::message_rows<message_row> rows_;
    std::unordered_map<std::uint32_t, std::uint64_t> snapshot_ends_;  // by id of the marker
    std::deque<collection_names> names_;
    std::map<std::pair<std::string, std::string>, std::uint32_t> index_of_names_;
    bool finished_ = false;
};

using life = ws::life_of<registry>;

const char* text_or_null(const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
}

dcp_memory recall(registry& known, std::uint32_t id) {
    if (id == 0) return {};
    ws::message_rows<message_row>& rows = known.rows();
    const message_row& r = rows[id];
    const message_row& later = rows[r.later];
    const collection_names& names = known.names(r.names);
    dcp_memory m;
    m.id = id;
    m.context = r.context;
    m.has_partition = r.has_partition;
    m.flow_known = r.flow_known;
    m.partition = r.partition;
    m.stream = r.stream;
    m.snapshot = r.snapshot;
    m.outstanding = r.outstanding;
    m.window = r.window;
    m.elapsed_ns = r.elapsed_ns;
    m.snapshot_end = known.snapshot_end(r.marker);
    m.request = rows[r.request].frame;
    m.prepare = rows[r.prepare].frame;
    m.opened_by = rows[r.opened_by].frame;
    m.marker = rows[r.marker].frame;
    m.acknowledged_in = rows[r.acknowledged_in].frame;
    // What came later answers this message, or completes it.
    if (later.request == id) m.response = later.frame;
    if (later.prepare == id) (later.is_abort ? m.abort : m.commit) = later.frame;
    if (r.later != 0) m.completion_ns = later.elapsed_ns;
    m.scope = text_or_null(names.scope);
    m.collection = text_or_null(names.collection);
    return m;
}

void feed(registry& known, ws::connection& c, direction dir, std::uint32_t id, const frame_ref& at,
          byte_view bytes, bool cut) {
    dcp::connection& tracked = known.connection_of(c);
    const dcp::track_record record =
        tracked.feed({.id = id, .at = at, .dir = dir, .bytes = bytes, .cut = cut});
    known.keep(id, record);
    const dcp::message_view m = dcp::decode(bytes, record.context);
    message_row& r = known.rows()[id];
    r.is_abort = m.number(field_id::abort_seqno).has_value();
    if (m.key.prefixed) r.names = known.intern(tracked.collection(m.key.collection));
}

// Calls `learn(registry, id, frame)` for what is seen for the first time.
template <typename Learn>
dcp_memory observe(packet_info* pinfo, ws::connection& c, unsigned ordinal, Learn learn) {
    registry* known = life::get();
    if (known == nullptr) return {};
    if (PINFO_FD_VISITED(pinfo)) {
        return recall(*known, ws::id_of(pinfo, proto_connection, ordinal, known->rows()));
    }
    const frame_ref at = ws::frame_of(pinfo);
    const std::uint32_t id = known->rows().add(c, {.frame = at.frame});
    ws::keep_first_id(pinfo, proto_connection, ordinal, id);
    learn(*known, id, at);
    ws::order_hint::saw(c, id);
    return recall(*known, id);
}

void on_disturbed(ws::connection& c, direction dir, const ws::tcp_verdict& verdict,
                  const frame_ref&) {
    if (c.state == nullptr) return;
    auto& tracked = *static_cast<dcp::connection*>(c.state);
    if (verdict.hides_messages()) tracked.hole(dir);
    tracked.order_unknown();
}

void on_end(ws::connection& c, direction dir, ws::tcp_end how, const frame_ref& at) {
    if (how == ws::tcp_end::fin && c.begun[index(dir)].frame != 0 && c.disturbed == 0) {
        c.ended_inside[index(dir)] = at.frame;
    }
    if (c.state == nullptr) return;
    const dcp::end_of end = how == ws::tcp_end::fin ? dcp::end_of::fin : dcp::end_of::rst;
    static_cast<dcp::connection*>(c.state)->end(dir, end, at, c.last_message);
}

}  // namespace

dcp_memory observe_dcp(packet_info* pinfo, ws::connection& c, direction dir, unsigned ordinal,
                       byte_view bytes, bool cut) {
    return observe(pinfo, c, ordinal, [&](registry& known, std::uint32_t id, const frame_ref& at) {
        feed(known, c, dir, id, at, bytes, cut);
    });
}

dcp_memory observe_dcp_break(packet_info* pinfo, ws::connection& c, direction dir, unsigned ordinal,
                             std::size_t size) {
    return observe(pinfo, c, ordinal, [&](registry& known, std::uint32_t id, const frame_ref& at) {
        known.connection_of(c).broken(dir, size, at, id);
    });
}

void show_dcp_findings(packet_info* pinfo, proto_item* item, const dcp_memory& memory) {
    if (life::get() != nullptr) ws::show_findings(pinfo, item, life::get()->found(), memory.id);
}

findings::thresholds& dcp_limits() {
    return limits;
}

void register_dcp_state(int connection_proto, ws::tcp_watcher::shower show_end) {
    proto_connection = connection_proto;
    life::register_routines();
    ws::watch_tcp({.proto = connection_proto,
                   .on_disturbed = on_disturbed,
                   .on_end = on_end,
                   .show = show_end});
}

}  // namespace cdcscope
