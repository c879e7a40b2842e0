// Feeding a connection: time first, then pairing, then the rules of the message.

#include "proto/dcp/track_connection.h"

#include <algorithm>
#include <utility>

namespace cdcscope::dcp {
namespace {

// Where the caller does not listen.
class no_links final : public link_sink {
    void on_link(link_kind /*kind*/, std::uint32_t /*earlier*/,
                 std::uint32_t /*later*/) noexcept override {}
};
class no_findings final : public findings::finding_sink {
    void on_finding(findings::finding /*found*/) noexcept override {}
};
no_links nobody_links;
no_findings nobody_finds;
observer nobody_watches;

std::string_view host_of(std::string_view endpoint) noexcept {
    return endpoint.substr(0, endpoint.rfind(':'));
}

void enter(connection_state& c, const frame_ref& at, std::uint32_t event) noexcept {
    c.report.enter({event, at, std::max(c.now().time, at.time_ns)});
}

// HELLO is not in sight, the keys have to tell.
bool judging(const connection_state& c) noexcept {
    const certainty& sure = c.story.sure;
    return !c.hello_answered && (sure.late_start || sure.hole || sure.setup_cut) &&
           c.all.collections == collections_choice::judge;
}

void check_times(connection_state& c, std::optional<direction> from) {
    c.flow.check_time(c.report, c.unsettled());
    c.noops.check_time(c.report, c.agreed, c.story.sure, from);
    check_end_times(c);
    check_durability_times(c);
}

void count(connection_state& c, const message_event& e) {
    connection_story& story = c.story;
    if (story.messages[index(e.dir)]++ == 0 && story.sure.late_start) c.requests.begins_late(e.dir);
    story.sure.one_sided =
        story.sure.late_start && (story.messages[0] == 0 || story.messages[1] == 0);
    if (story.first.frame == 0) {
        story.first = e.at;
    } else if (e.at.time_ns - story.last.time_ns > story.longest_silence_ns) {
        story.longest_silence_ns = e.at.time_ns - story.last.time_ns;
        story.longest_silence_from = story.last;
        story.longest_silence_to = e.at;
    }
    story.last = e.at;
}

// Role of the two ends by what they ask and answer, where DCP_OPEN does not tell.
void learn_role(connection_state& c, const message_view& m, direction from) {
    if (c.agreed.producer || m.row == nullptr || m.head.is_push()) return;
    const direction asker = m.head.is_response() ? opposite(from) : from;
    if (m.row->from == sender::producer || m.row->from == sender::manager)
        c.agreed.producer = asker;
    if (m.row->from == sender::consumer) c.agreed.producer = opposite(asker);
    if (!c.agreed.producer) return;
    c.story.role = *c.agreed.producer == direction::s2c ? dcp_role::client_consumes
                                                        : dcp_role::client_produces;
    c.all.shared.dcp_seen();
}

void tell_malformed(connection_state& c, const message_view& m) {
    const std::string name = m.row != nullptr ? std::string(m.row->name)
                                              : "opcode " + findings::hex_text(m.head.opcode, 2);
    (void)c.report.tell(code::dcp_malformed, severity::error, false, {},
                        {sentence(name, m.head.is_response() ? " answer" : "",
                                  " is malformed: ", describe(m.problem)),
                         {{"opcode", name}, {"malformed", std::string(describe(m.problem))}}});
}

// A layout that is broken: lengths beyond the body, extras of an unknown length, a mandatory part
// missing.
bool malformed(const message_view& m) noexcept {
    if (m.problem == fault::parts_exceed_body) return true;
    if (m.row == nullptr || !m.row->described || m.head.is_response()) return false;
    switch (m.problem) {
        case fault::extras_length:
        case fault::key_missing:
        case fault::value_missing:
        case fault::value_length:
        case fault::framing_extras:
        case fault::system_event:
        case fault::cache_record:
            return true;
        default:
            return false;
    }
}

request_detail detail_of(const incoming& in) {
    switch (in.m.head.opcode) {
        case op::stream_req:
            return read_stream_request(in);
        case op::control:
            return control_request{std::string(kept_text(in.m.parts.key)),
                                   std::string(kept_text(in.m.parts.value)), !in.m.parts.cut};
        case op::select_bucket:
            return bucket_request{std::string(kept_text(in.m.parts.key))};
        default:
            return read_durable_write(in);
    }
}

// A request of the layout table that is always answered.
bool answer_owed(const message_view& m) noexcept {
    return m.row != nullptr && m.row->described && !m.head.is_push() &&
           m.head.opcode != op::set_vbucket_state;
}

// Its value is no document: what is agreed on from here on rests on it.
bool hides_setup(const message_view& m) noexcept {
    if (!m.parts.cut || m.head.is_push()) return false;
    return m.head.is_response() ? m.head.opcode == op::hello : m.head.opcode == op::control;
}

void await_answer(connection_state& c, const incoming& in, request_detail detail) {
    const header& h = in.m.head;
    if (h.opcode == op::noop && !h.is_push()) return;
    if (in.m.row != nullptr && !h.is_push() && in.m.row->answered != answer::always) return;
    c.requests.add(c.report, c.unsettled(),
                   {in.event.id, in.event.dir, h.kind, h.opcode, answer_owed(in.m), h.vbucket(),
                    h.opaque, c.now(), std::move(detail)});
}

void take_buffer_ack(connection_state& c, const incoming& in) {
    const std::optional<std::uint64_t> bytes = in.m.number(field_id::ack_bytes);
    if (bytes)
        c.flow.acknowledge(c.report, c.watch(), c.links(), c.story.sure, in.event.id, *bytes);
}

void take_request(connection_state& c, const incoming& in) {
    const header& h = in.m.head;
    const bool broken = malformed(in.m);
    if (broken) tell_malformed(c, in.m);
    request_detail detail = broken || h.is_push() ? request_detail{} : detail_of(in);
    const auto* asked = std::get_if<stream_request>(&detail);
    if (!h.is_push() && in.m.row != nullptr && in.m.row->flow_controlled) {
        c.flow.add(
            c.report, c.watch(), c.unsettled(),
            {in.event.id, flow_bytes(h, *in.m.row), h.total_length(), h.opcode == op::prepare});
    }
    if (asked != nullptr) take_stream_request(c, in, *asked);
    await_answer(c, in, std::move(detail));
    if (broken || h.is_push()) return;
    if (is_data(h.opcode)) return take_data(c, in);
    check_stateless(c, in);
    switch (h.opcode) {
        case op::hello:
            if (c.story.agent.empty())
                c.story.agent = findings::printable(as_text(in.m.parts.key), 250);
            return;
        case op::open:
            return take_open(c, in);
        case op::close_stream:
            return take_close_stream(c, in);
        case op::buffer_ack:
            return take_buffer_ack(c, in);
        case op::seqno_ack:
            return take_seqno_ack(c, in);
        case op::noop:
            c.noops.request(c.report, h.opaque, in.event.id);
            return c.watch().on_noop(c.setup.id, c.now().at, in.event.dir, false);
        default:
            return;
    }
}

void take_noop_answer(connection_state& c, const incoming& in) {
    in.record.request =
        c.noops.response(c.report, c.unsettled(), in.m.head.opaque, in.record.elapsed_ns);
    if (in.record.request != 0)
        c.links().on_link(link_kind::request, in.record.request, in.event.id);
    c.watch().on_noop(c.setup.id, c.now().at, in.event.dir, true);
}

// Its request may not have been captured: what was refused is not known, that it was is.
void take_lone_answer(connection_state& c, const incoming& in) {
    const std::uint16_t answered = in.m.head.status();
    if (answered == status::success) return;
    if (in.m.head.opcode == op::stream_req) take_lone_refusal(c, in);
    if (in.m.head.opcode == op::control) take_lone_control_refusal(c, in);
}

void take_answer(connection_state& c, const incoming& in) {
    const header& h = in.m.head;
    if (malformed(in.m)) tell_malformed(c, in.m);
    if (is_client(in.m, op::noop)) return take_noop_answer(c, in);
    std::optional<open_request> request =
        c.requests.take(c.report, c.unsettled(), in.event.dir, in.m);
    if (!h.is_push() && is_data(h.opcode)) take_data_answer(c, in);
    if (!request && !h.is_push() && c.unsettled()) take_lone_answer(c, in);
    if (!request) return;
    in.record.request = request->id;
    in.record.elapsed_ns = c.now().time - request->asked.time;
    in.record.has_partition = in.m.row != nullptr && !h.is_push() && in.m.row->has_vbucket;
    in.record.partition = request->vbucket;
    c.links().on_link(link_kind::request, request->id, in.event.id);
    if (h.is_push()) return;
    if (h.opcode == op::stream_req) return take_stream_answer(c, in, *request);
    take_setup_answer(c, in, *request);
    take_write_answer(c, in, *request);
}

// What the report tells of a name or position, given to the other connections when this one is
// over.
void leave_world(connection_state& c) {
    if (c.named) c.all.shared.close_name(c.server_place, c.name, c.setup.id);
    c.named = false;
    const std::uint64_t order = c.all.shared.next_order();
    if (c.name == 0) return;
    for (const auto& each : c.streams.all()) {
        const dcp_stream& s = *each;
        if (!s.story.has_items || s.story.log_uuid == 0) continue;
        c.all.shared.reached({c.name, c.bucket, s.selection, s.story.vbucket, s.story.log_uuid},
                             {s.sent(), s.story.last_seqno, s.last_item_order, order,
                              c.now().at.time_ns, c.story.sure.hole, c.setup.id});
    }
}

void conclude(connection_state& c) {
    close_streams(c);
    settle_streams(c);
    c.flow.close(c.report, c.watch());
    c.noops.close(c.report);
    leave_world(c);
}

}  // namespace

connection_state::connection_state(world_state& world, connection_setup given)
    : all(world),
      setup(std::move(given)),
      report(*world.sinks.findings, world.limits, setup.id, world.last_finding),
      flow(story.flow),
      noops(story.noops) {
    story.id = setup.id;
    story.client = setup.client;
    story.server = setup.server;
    story.sure.late_start = !setup.from_start;
    client_host = all.shared.intern(host_of(setup.client));
    server_place = all.shared.intern(setup.server);
}

decode_context connection_state::context() const noexcept {
    decode_context now;
    now.stream_ids = agreed.stream_ids;
    bool on = agreed.collections;
    if (all.collections != collections_choice::judge) {
        on = all.collections == collections_choice::on;
    } else if (judging(*this)) {
        on = judge.on();
        now.collections_judged = true;
    }
    now.collections = on ? collection_keys::on : collection_keys::off;
    return now;
}

connection::connection(std::unique_ptr<connection_state> state) noexcept
    : state_(std::move(state)) {}
connection::~connection() = default;

track_record connection::feed(const message_event& message) noexcept {
    connection_state& c = *state_;
    const std::uint64_t order = c.all.shared.next_order();
    enter(c, message.at, message.id);
    if (!c.closed) check_times(c, message.dir);
    track_record record;
    record.context = c.context();
    message_view m = decode(message.bytes, record.context);
    if (m.head.kind == magic{}) return record;
    if (judging(c)) {
        c.judge.see(m, c.names);
        record.context = c.context();
        m = decode(message.bytes, record.context);
    }
    count(c, message);
    learn_role(c, m, message.dir);
    if (hides_setup(m)) c.story.sure.setup_cut = true;
    c.last_row[index(message.dir)] = m.row;
    const incoming in{message, m, record, order, c.flow.full()};
    if (m.head.is_response()) {
        take_answer(c, in);
    } else {
        take_request(c, in);
    }
    c.noops.heard(c.report, message.dir, c.agreed);
    record.flow_known = c.flow.window() != 0;
    record.window = c.flow.window();
    record.outstanding =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(c.flow.outstanding(), UINT32_MAX));
    return record;
}

void connection::order_unknown() noexcept {
    state_->report.order_unknown();
}

void connection::hole(direction from) noexcept {
    state_->story.sure.hole = true;
    state_->requests.hole(from);
    state_->all.shared.hole(state_->client_host);
    ++state_->holes;
}

void connection::broken(direction from, std::uint64_t size, const frame_ref& at,
                        std::uint32_t event) noexcept {
    connection_state& c = *state_;
    enter(c, at, event);
    const opcode_row* last = c.last_row[index(from)];
    const std::string name(last != nullptr ? last->name : "the last message");
    // Found behind a hole, what stood in front may have been no message either.
    const bool uncertain = c.story.sure.late_start || c.story.sure.hole;
    (void)c.report.tell(
        code::dcp_malformed, severity::error, uncertain, {},
        {sentence(size, size == 1 ? " byte behind " : " bytes behind ", name,
                  size == 1 ? " is" : " are", " no message: a length in what was sent is wrong"),
         {{"opcode", name}, {"bytes", size}, {"malformed", std::string("no message follows")}}});
    hole(from);
}

void connection::end(direction from, end_of how, const frame_ref& at,
                     std::uint32_t event) noexcept {
    connection_state& c = *state_;
    (void)c.all.shared.next_order();
    enter(c, at, event);
    if (!c.closed) check_times(c, std::nullopt);
    if (how == end_of::rst) c.noops.reset(c.report, c.story.sure, from);
    c.requests.close(c.report, c.unsettled(), from, how == end_of::rst);
    if (std::exchange(c.closed, true)) return;
    c.story.closed = at;
    c.story.closed_by = from;
    c.story.reset = how == end_of::rst;
    conclude(c);
}

void connection::finish(const frame_ref& at, std::uint32_t event) noexcept {
    connection_state& c = *state_;
    (void)c.all.shared.next_order();
    enter(c, at, event);
    if (!c.closed) check_times(c, std::nullopt);
    c.closed = true;
    conclude(c);
    c.requests = {};
    for (const auto& each : c.streams.all()) {
        each->keys.clear();
        each->prepares.reset();
    }
}

decode_context connection::context() const noexcept {
    return state_->context();
}
std::string_view connection::bucket() const noexcept {
    return state_->story.bucket;
}
std::string_view connection::connection_name() const noexcept {
    return state_->story.name;
}
connection_names::collection_name connection::collection(std::uint32_t id) const noexcept {
    return state_->names.collection(id);
}
std::string_view connection::scope(std::uint32_t id) const noexcept {
    return state_->names.scope(id);
}
const connection_story& connection::story() const noexcept {
    return state_->story;
}
std::size_t connection::stream_count() const noexcept {
    return state_->streams.all().size();
}
const stream_story& connection::stream(std::size_t n) const noexcept {
    return state_->streams.all()[n]->story;
}

world::world(const world_sinks& sinks, const findings::thresholds& limits,
             collections_choice collections)
    : state_(std::make_unique<world_state>()) {
    state_->sinks = sinks;
    if (state_->sinks.findings == nullptr) state_->sinks.findings = &nobody_finds;
    if (state_->sinks.links == nullptr) state_->sinks.links = &nobody_links;
    if (state_->sinks.watch == nullptr) state_->sinks.watch = &nobody_watches;
    state_->limits = limits;
    state_->collections = collections;
}

world::~world() = default;

std::unique_ptr<connection> world::add(connection_setup setup) {
    return std::make_unique<connection>(
        std::make_unique<connection_state>(*state_, std::move(setup)));
}

}  // namespace cdcscope::dcp
