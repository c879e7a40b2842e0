#include "plugin/dcp_state.h"

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "plugin/boundary.h"
#include "plugin/dcp_preferences.h"
#include "plugin/experts.h"
#include "plugin/finding_store.h"
#include "plugin/tcp_watch.h"
#include "plugin/text.h"
#include "proto/dcp/track.h"

namespace cdcscope {
namespace {

using dcp::field_id;

constexpr std::uint32_t ids_key = 0x69647300;  // of p_add_proto_data()

int proto_connection = -1;
findings::thresholds limits;

// One a message; a capture has many.
struct message_row {
    dcp::track_record record;
    std::uint32_t frame = 0;
    std::uint32_t later = 0;            // id of the response, or of what completed the prepare
    std::uint32_t acknowledged_in = 0;  // id of a BUFFER_ACK
    std::uint32_t names = 0;            // index of collection_names
    bool is_abort = false;
};
static_assert(std::is_trivially_copyable_v<message_row>);

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

std::string endpoint(const address& a, std::uint16_t port) {
    char* text = address_to_str(nullptr, &a);
    std::string made = std::string(text) + ":" + std::to_string(port);
    wmem_free(nullptr, text);
    return made;
}

// Everything with a destructor; renewed with every (re)load.
class registry final : public dcp::link_sink {
  public:
    registry() : world_({.findings = &found_, .links = this, .watch = nullptr}, limits, choice()) {
        rows_.emplace_back();  // id 0 is none
        names_.emplace_back();
    }

    dcp::connection& connection_of(ws::connection& c) {
        if (c.state == nullptr) c.state = &add(c);
        return *static_cast<dcp::connection*>(c.state);
    }
    std::uint32_t next_id(ws::connection& c, std::uint32_t frame) {
        rows_.emplace_back().frame = frame;
        c.last_message = static_cast<std::uint32_t>(rows_.size() - 1);
        return c.last_message;
    }
    [[nodiscard]] message_row& row(std::uint32_t id) { return rows_[id < rows_.size() ? id : 0]; }
    [[nodiscard]] const finding_store& found() const { return found_; }
    [[nodiscard]] const collection_names& names(std::uint32_t index) const { return names_[index]; }

    void on_link(dcp::link_kind kind, std::uint32_t earlier,
                 std::uint32_t later) noexcept override {
        message_row& r = row(earlier);
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

    void finish(const frame_ref& at) {
        if (finished_) return;
        finished_ = true;
        for (open_connection& o : connections_) o.tracked->finish(at, o.c->last_message);
    }

  private:
    struct open_connection {
        std::unique_ptr<dcp::connection> tracked;
        ws::connection* c;
    };

    dcp::connection& add(ws::connection& c) {
        dcp::connection_setup setup{.id = c.number,
                                    .client = endpoint(c.client, c.client_port),
                                    .server = endpoint(c.server, c.server_port),
                                    .from_start = c.from_start};
        connections_.push_back({world_.add(std::move(setup)), &c});
        return *connections_.back().tracked;
    }

    finding_store found_;
    dcp::world world_;
    std::deque<open_connection> connections_;  // do not outlive the world
    std::deque<message_row> rows_;
    std::deque<collection_names> names_;
    std::map<std::pair<std::string, std::string>, std::uint32_t> index_of_names_;
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

// The ids of a frame's messages follow each other: only the first is kept.
std::uint32_t id_of(packet_info* pinfo, unsigned ordinal) {
    const void* first = p_get_proto_data(wmem_file_scope(), pinfo, proto_connection, ids_key);
    if (first == nullptr) return 0;
    const std::uint32_t id = GPOINTER_TO_UINT(first) + ordinal;
    return known->row(id).frame == pinfo->num ? id : 0;
}

const char* text_or_null(const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
}

dcp_memory recall(std::uint32_t id) {
    if (id == 0) return {};
    const message_row& r = known->row(id);
    const message_row& later = known->row(r.later);
    const collection_names& names = known->names(r.names);
    dcp_memory m;
    m.id = id;
    m.record = r.record;
    m.request = known->row(r.record.request).frame;
    m.prepare = known->row(r.record.prepare).frame;
    m.opened_by = known->row(r.record.opened_by).frame;
    m.marker = known->row(r.record.marker).frame;
    m.acknowledged_in = known->row(r.acknowledged_in).frame;
    // What came later answers this message, or completes it.
    if (later.record.request == id) m.response = later.frame;
    if (later.record.prepare == id) (later.is_abort ? m.abort : m.commit) = later.frame;
    if (r.later != 0) m.completion_ns = later.record.elapsed_ns;
    m.scope = text_or_null(names.scope);
    m.collection = text_or_null(names.collection);
    return m;
}

void feed(ws::connection& c, direction dir, std::uint32_t id, const frame_ref& at, byte_view bytes,
          bool cut) {
    dcp::connection& tracked = known->connection_of(c);
    const dcp::track_record record =
        tracked.feed({.id = id, .at = at, .dir = dir, .bytes = bytes, .cut = cut});
    message_row& r = known->row(id);
    r.record = record;
    const dcp::message_view m = dcp::decode(bytes, record.context);
    r.is_abort = m.number(field_id::abort_seqno).has_value();
    if (m.key.prefixed) r.names = known->intern(tracked.collection(m.key.collection));
}

void on_disturbed(ws::connection& c, direction dir, const ws::tcp_verdict& verdict,
                  const frame_ref&) {
    if (c.state == nullptr) return;
    auto& tracked = *static_cast<dcp::connection*>(c.state);
    if (verdict.lost_segment && !ws::tcp_waits_for_holes()) tracked.hole(dir);
    tracked.order_unknown();
}

void on_end(ws::connection& c, direction dir, ws::tcp_end how, const frame_ref& at) {
    if (c.state == nullptr) return;
    const dcp::end_of end = how == ws::tcp_end::fin ? dcp::end_of::fin : dcp::end_of::rst;
    static_cast<dcp::connection*>(c.state)->end(dir, end, at, c.last_message);
}

}  // namespace

dcp_memory observe_dcp(packet_info* pinfo, ws::connection& c, direction dir, unsigned ordinal,
                       byte_view bytes, bool cut) {
    if (known == nullptr) return {};
    if (PINFO_FD_VISITED(pinfo)) return recall(id_of(pinfo, ordinal));
    const frame_ref at = ws::frame_of(pinfo);
    const std::uint32_t id = known->next_id(c, at.frame);
    if (ordinal == 0) {
        p_add_proto_data(wmem_file_scope(), pinfo, proto_connection, ids_key, GUINT_TO_POINTER(id));
    }
    feed(c, dir, id, at, bytes, cut);
    if (c.disturbed != 0 && c.hinted == 0) c.hinted = id;
    return recall(id);
}

void show_dcp_findings(packet_info* pinfo, proto_item* item, const dcp_memory& memory) {
    if (memory.id == 0 || known == nullptr) return;
    known->found().each(memory.id, [&](const findings::finding& f) {
        add_expert(pinfo, item, f.what, f.level, ws::printable(pinfo, as_bytes(f.text), 1000));
    });
}

bool hints_at_report(const ws::connection& c, const dcp_memory& memory) {
    return memory.id != 0 && memory.id == c.hinted;
}

findings::thresholds& dcp_limits() {
    return limits;
}

void register_dcp_state(int connection_proto) {
    proto_connection = connection_proto;
    register_init_routine(init);
    register_cleanup_routine(cleanup);
    register_postseq_cleanup_routine(at_end_of_capture);
    ws::watch_tcp({.proto = connection_proto, .on_disturbed = on_disturbed, .on_end = on_end});
}

}  // namespace cdcscope
