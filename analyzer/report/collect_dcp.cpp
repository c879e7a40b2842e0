#include "analyzer/report/collect_dcp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "analyzer/report/client_name.h"
#include "analyzer/report/format.h"
#include "analyzer/report/words.h"
#include "proto/dcp/fields.h"
#include "proto/dcp/names.h"

namespace cdcscope::report {
namespace {

using dcp::field_id;

namespace op {
constexpr std::uint8_t dcp_open = 0x50, close_stream = 0x52, stream_request = 0x53, marker = 0x56,
                       buffer_ack = 0x5d, control = 0x5e, set_vbucket_state = 0x5b,
                       system_event = 0x5f, commit = 0x62, abort = 0x63, seqno_advanced = 0x64;
}

void count_type(connection& c, std::string_view name, bool response) {
    for (auto& t : c.by_type) {
        if (t.name.starts_with(name) && t.name.size() == name.size() + (response ? 9 : 0)) {
            ++t.count;
            return;
        }
    }
    c.by_type.push_back({std::string(name) + (response ? ".response" : ""), 1});
}

std::vector<std::string> datatype_names(std::uint8_t datatype) {
    std::vector<std::string> out;
    if (datatype & 0x01) out.emplace_back("json");
    if (datatype & 0x02) out.emplace_back("snappy");
    if (datatype & 0x04) out.emplace_back("xattr");
    return out;
}

std::string level_title(std::uint8_t level) {
    const auto* known = dcp::find_value(dcp::durability_names, level);
    return known != nullptr ? std::string(known->title) : std::string{};
}

std::string end_words(std::uint32_t reason) {
    switch (reason) {
        case dcp::end_reason::state_changed:
            return "state changed";
        case dcp::end_reason::closed:
            return "closed by the client";
        default:
            break;
    }
    const auto* known = dcp::find_value(dcp::end_reason_names, reason);
    if (known == nullptr) return fmt::format("reason {}", reason);
    auto title = std::string(known->title);
    // "OK" stays as it is.
    if (title.size() > 1 && std::islower(static_cast<unsigned char>(title[1])))
        title.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(title.front())));
    return title;
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (auto& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

std::string text_of(byte_view bytes) {
    return std::string(as_text(bytes));
}

}  // namespace

// ---- messages

void dcp_collector::on_message(connection& c, const recover::message& m,
                               const dcp::track_record& said, const dcp::connection&) {
    const auto v = dcp::decode(m.bytes, said.context);
    count_type(c, v.row != nullptr ? v.row->event : std::string_view{"unknown"},
               v.head.is_response());
    if (m.dir == direction::s2c) c.received.add(m.frames.done.time_ns, m.wire_length);
    if (v.row == nullptr) return;
    auto& l = live_[c.id];
    if (l.filled) take_filling(c, l, v);
    if (v.head.is_response()) {
        l.opens_dcp = l.opens_dcp || v.head.opcode == op::dcp_open;
        return take_answer(c, l, m, v);
    }
    if (v.row->request.key.collection_prefix && !v.row->data_change)
        return take_operation(c, l, m, v);
    take_event(c, l, m, v, said.snapshot);
}

// on_full told of it while this message was fed.
void dcp_collector::take_filling(connection& c, live& l, const dcp::message_view& v) {
    l.filled = false;
    std::string name(v.row->event);
    std::replace(name.begin(), name.end(), '_', ' ');
    const auto seqno = v.own_seqno();
    auto& f = c.flow.make();
    f.filled_by = seqno ? fmt::format("{} seqno {}", name, number(*seqno)) : name;
    f.filled_from = l.before;
    f.filled_to = l.outstanding;
}

void dcp_collector::take_event(connection& c, live& l, const recover::message& m,
                               const dcp::message_view& v, std::uint32_t snapshot) {
    const auto at = m.frames.done.time_ns;
    switch (v.head.opcode) {
        case op::dcp_open:
            l.opens_dcp = true;
            break;
        case op::buffer_ack:
            c.ticks.add(tick_kind::acknowledged, at);
            break;
        case op::set_vbucket_state:
            c.ticks.add(tick_kind::takeover, at);
            take_takeover(c, m, v);
            break;
        case op::close_stream:
            take_close(c, m, v);
            break;
        case op::marker:
            c.ticks.add(tick_kind::snapshot, at);
            break;
        case op::control:
            if (as_text(v.key.bytes) == "connection_buffer_size")
                c.flow.make().asked = m.frames.done;
            break;
        default:
            break;
    }
    const auto progresses = v.row->data_change || v.head.opcode == op::system_event ||
                            v.head.opcode == op::seqno_advanced;
    if (!progresses && v.head.opcode != op::marker) return;
    l.carries_items = true;
    c.ticks.add(tick_kind::data, at);
    if (!progresses) return;
    take_seqno(l, v);
    if (v.row->data_change) take_item(c, l, m, v, snapshot);
}

void dcp_collector::take_takeover(connection& c, const recover::message& m,
                                  const dcp::message_view& v) {
    auto& all = c.steps.make().takeovers;
    const auto state = v.number(field_id::vbucket_state);
    if (all.size() >= cap::steps || !state) return;
    const auto* known = dcp::find_value(dcp::vbucket_state_names, *state);
    all.push_back({v.head.vbucket(),
                   known != nullptr ? lower_case(known->title) : fmt::format("state {}", *state),
                   m.frames.done});
}

// The client's: a server that ends a stream says STREAM_END.
void dcp_collector::take_close(connection& c, const recover::message& m,
                               const dcp::message_view& v) {
    auto& all = c.steps.make().closes;
    if (all.size() < cap::steps)
        all.push_back({v.head.vbucket(), v.head.opaque, m.frames.done, {}, 0});
}

void dcp_collector::take_retries(connection& c, const dcp::connection_story& story) {
    const auto& all = story.settings;
    for (auto refused = all.begin(); refused != all.end(); ++refused) {
        if (refused->accepted) continue;
        const auto again = std::find_if(refused + 1, all.end(), [&](const dcp::setting& s) {
            return s.accepted && s.name == refused->name;
        });
        if (again == all.end() || c.steps->retries.size() >= cap::steps) continue;
        c.steps.make().retries.push_back({again->name, again->value, again->at});
    }
}

void dcp_collector::take_seqno(live& l, const dcp::message_view& v) {
    const auto seqno = v.own_seqno();
    if (!seqno) return;
    auto& s = l.streams[v.head.opaque];
    s.partition = v.head.vbucket();
    // Seqnos that a hole may have swallowed: gaps are normal elsewhere.
    if (s.last_seqno != 0 && s.holes != l.holes && *seqno > s.last_seqno + 1 &&
        s.not_captured.size() < cap::holes) {
        s.not_captured.emplace_back(s.last_seqno + 1, *seqno - 1);
    }
    s.holes = l.holes;
    s.last_seqno = std::max(s.last_seqno, *seqno);
}

void dcp_collector::take_item(connection& c, live& l, const recover::message& m,
                              const dcp::message_view& v, std::uint32_t snapshot) {
    if (v.key.prefixed && l.collections.size() < 100 &&
        std::find(l.collections.begin(), l.collections.end(), v.key.collection) ==
            l.collections.end()) {
        l.collections.push_back(v.key.collection);
    }
    if (v.head.opcode == op::commit || v.head.opcode == op::abort) return take_outcome(l, m, v);
    const auto first = c.items.size() < cap::items;
    const auto largest = v.head.value_length() > l.largest->value_bytes;
    if (!first && !largest) return;
    auto sample = sample_of(m, v);
    sample.snapshot = snapshot;
    if (largest) l.largest.make() = sample;
    if (first) c.items.push_back(std::move(sample));
}

item_sample dcp_collector::sample_of(const recover::message& m, const dcp::message_view& v) {
    item_sample s;
    s.key = text_of(v.key.bytes);
    s.event = v.row->event;
    s.partition = v.head.vbucket();
    if (v.key.prefixed) s.collection = v.key.collection;
    s.seqno = v.own_seqno().value_or(0);
    s.revision = v.number(field_id::rev_seqno).value_or(0);
    s.datatype = datatype_names(v.head.datatype);
    s.value_bytes = v.head.value_length();
    s.cut = m.cut;
    if (m.cut || v.kind() != dcp::value_kind::document) return s;
    const auto nmeta = static_cast<std::uint16_t>(v.number(field_id::nmeta).value_or(0));
    const auto document = dcp::open_document(v.parts.value, v.head.datatype, nmeta, inflated_);
    s.body_bytes = document.body.size();
    dcp::xattr_reader pairs(document.xattrs);
    for (dcp::xattr_view pair; s.xattrs.size() < 16 && pairs.next(pair);)
        s.xattrs.push_back(text_of(pair.key));
    inflated_.shrink(1U << 16);
    return s;
}

// on_prepare told of the outcome while this message was fed; its own seqno is only here.
void dcp_collector::take_outcome(live& l, const recover::message& m, const dcp::message_view& v) {
    auto* const kept = writes_.find(l.last_write);
    if (kept == nullptr) return;
    auto& w = *kept;
    if (w.finished.frame == m.frames.done.frame && w.finished.file == m.frames.done.file &&
        as_text(v.key.bytes) == w.key) {
        w.outcome_seqno = v.own_seqno().value_or(0);
    }
}

// ---- requests of applications

void dcp_collector::take_operation(connection& c, live& l, const recover::message& m,
                                   const dcp::message_view& v) {
    operation o;
    o.connection = c.id;
    o.opcode = v.row->name;
    o.key = text_of(v.key.bytes);
    o.partition = v.head.vbucket();
    o.sent = m.frames.done;
    dcp::frame_reader frames(v.parts);
    for (dcp::frame_view frame; frames.next(frame);) {
        if (frame.id == dcp::frame_info::durability && !frame.data.empty()) {
            o.level = level_title(frame.data[0]);
            o.default_timeout = frame.data.size() < 3;
        }
    }
    const auto row = operations_.add(std::move(o));
    if (l.open.size() < 65'536) l.open[v.head.opaque] = {v.head.opcode, row};
}

void dcp_collector::take_answer(connection& c, live& l, const recover::message& m,
                                const dcp::message_view& v) {
    if (v.head.opcode == op::close_stream && !c.steps->closes.empty()) {
        auto& all = c.steps.make().closes;
        const auto asked = std::find_if(all.begin(), all.end(), [&](const dcp_steps::close& one) {
            return one.opaque == v.head.opaque && one.answered.frame == 0;
        });
        if (asked != all.end()) asked->answered = m.frames.done, asked->status = v.head.status();
    }
    if (v.head.opcode == op::stream_request && v.head.status() == dcp::status::not_my_vbucket &&
        v.head.value_length() > 0) {
        auto& steps = c.steps.make();
        if (steps.maps++ == 0) steps.maps_from_ns = m.frames.done.time_ns;
        steps.map_bytes += v.head.value_length();
    }
    const auto found = l.open.find(v.head.opaque);
    if (found == l.open.end() || found->second.opcode != v.head.opcode) return;
    auto* const asked = operations_.find(found->second.row);
    l.open.erase(found);
    if (asked == nullptr) return;
    auto& o = *asked;
    o.has_answer = true;
    o.answered = m.frames.done;
    o.waited_ns = o.answered.time_ns - o.sent.time_ns;
    o.status = v.head.status();
    o.status_name = status_title(o.status);
    const auto uuid = v.number(field_id::mutation_uuid), seqno = v.number(field_id::mutation_seqno);
    if (uuid && seqno) o.token = {*uuid, *seqno};
    dcp::frame_reader frames(v.parts);
    for (dcp::frame_view frame; frames.next(frame);) {
        if (frame.id == 0 && frame.data.size() == 2)
            o.server_us = dcp::frame_microseconds(load_be16(frame.data.data()));
    }
}

// ---- courses

void dcp_collector::on_hole(std::uint32_t connection) {
    ++live_[connection].holes;
}

void dcp_collector::on_flow(std::uint32_t connection, const frame_ref& at,
                            std::uint64_t outstanding, std::uint32_t) noexcept {
    auto* c = find(connection);
    if (c == nullptr) return;
    c->window.add(at.time_ns, outstanding);
    auto& l = live_[connection];
    l.before = l.outstanding;
    l.outstanding = outstanding;
}

void dcp_collector::on_full(std::uint32_t connection, const frame_ref& since) noexcept {
    auto* c = find(connection);
    if (c == nullptr) return;
    c->flow.make().filled = since;
    live_[connection].filled = true;
}

void dcp_collector::on_freed(std::uint32_t connection, const frame_ref& since,
                             const frame_ref& until, bool over) noexcept {
    auto* c = find(connection);
    if (c == nullptr) return;
    auto& f = c->flow.make();
    const auto length = until.time_ns - since.time_ns;
    f.full_least_ns = f.full_times == 0 ? length : std::min(f.full_least_ns, length);
    f.full_most_ns = std::max(f.full_most_ns, length);
    ++f.full_times;
    f.full_at_end = !over;
    if (f.full.size() < 500) {
        f.full.push_back({since.time_ns, until.time_ns});
    } else {
        f.full.back().to = until.time_ns;
    }
}

void dcp_collector::on_noop(std::uint32_t connection, const frame_ref& at, direction,
                            bool response) noexcept {
    auto* c = find(connection);
    if (c == nullptr || !response) return;
    c->ticks.add(tick_kind::noop, at.time_ns);
    c->noop.last_answered = at;
}

void dcp_collector::on_prepare(std::uint32_t connection, const frame_ref& at,
                               const dcp::prepare_event& p) noexcept {
    auto* c = find(connection);
    if (c == nullptr) return;
    const auto completed =
        p.outcome == dcp::prepare_outcome::committed || p.outcome == dcp::prepare_outcome::aborted;
    if (completed && p.latency_ns >= 0) {
        auto& d = c->durable.make();
        const auto first = d.committed + d.aborted == 0;
        d.least_ns = first ? p.latency_ns : std::min(d.least_ns, p.latency_ns);
        d.most_ns = std::max(d.most_ns, p.latency_ns);
        ++(p.outcome == dcp::prepare_outcome::aborted ? d.aborted : d.committed);
        c->latency.make().add(p.latency_ns, p.outcome == dcp::prepare_outcome::aborted);
    }
    durable_write w;
    w.connection = connection;
    w.partition = p.vbucket;
    w.key = std::string(p.key);
    w.level = level_title(p.level);
    w.prepare_seqno = p.seqno;
    w.prepared = p.prepared;
    w.acked = p.acked;
    w.replica_ack_ns = p.replica_ns;
    constexpr durable_write::outcome outcomes[] = {
        durable_write::outcome::committed, durable_write::outcome::aborted,
        durable_write::outcome::superseded, durable_write::outcome::open};
    w.how = outcomes[static_cast<std::size_t>(p.outcome)];
    w.latency_ns = p.latency_ns >= 0 ? p.latency_ns : at.time_ns - p.prepared.time_ns;
    if (w.how != durable_write::outcome::open) w.finished = at;
    live_[connection].last_write = writes_.add(std::move(w));
}

// ---- the end of a connection

void dcp_collector::take_flow(connection& c, const dcp::flow_story& story) {
    if (story.counted == 0 && story.acks == 0 && story.largest_window == 0) return;
    auto& f = c.flow.make();
    f.on = story.largest_window > 0;
    f.window = story.window;
    f.counted = story.counted;
    f.acknowledged = story.acked;
    f.acknowledgements = story.acks;
    f.peak = story.highest;
    f.outstanding = story.outstanding;
    f.last_ack = story.last_ack;
}

void dcp_collector::on_closed(connection& c, const dcp::connection& state) {
    const auto& story = state.story();
    auto& l = live_[c.id];
    c.name = story.name;
    c.short_name = short_name(story.name);
    c.target = story.bucket;
    c.agent = agent_name(story.agent);
    const auto named_replica =
        c.name.starts_with("replication:") || c.name.starts_with("eq_dcpq:replication:");
    const auto replica =
        named_replica || std::any_of(story.settings.begin(), story.settings.end(),
                                     [](auto& s) { return s.name == "consumer_name"; });
    // What only DCP has makes it DCP, though DCP_OPEN was not captured.
    const auto known = story.role != dcp::dcp_role::unknown;
    const auto dcp =
        known || l.opens_dcp || story.opens_dcp || l.carries_items || story.streams_opened > 0;
    if (!dcp) {
        c.what = role::kv_application;
    } else if (!known) {
        c.what = role::unknown;
    } else if (story.role == dcp::dcp_role::client_produces) {
        c.what = role::dcp_producer;
    } else {
        c.what = replica ? role::dcp_replica : role::dcp_consumer;
    }
    take_flow(c, story.flow);
    c.noop.enabled = story.noops.ever_enabled;
    c.noop.interval_ns = static_cast<std::int64_t>(story.noops.interval_seconds * 1e9);
    c.noop.sent = story.noops.sent;
    c.noop.answered = story.noops.answered;
    if (story.durability.prepares > 0) {
        auto& d = c.durable.make();
        d.prepares = story.durability.prepares;
        d.open = story.durability.open;
    }
    c.longest_silence = {story.longest_silence_from.time_ns, story.longest_silence_to.time_ns};
    for (const auto id : l.collections)
        c.collections.emplace_back(id, std::string(state.collection(id).collection));
    if (l.largest->value_bytes > 0 && std::none_of(c.items.begin(), c.items.end(), [&](auto& i) {
            return i.seqno == l.largest->seqno && i.key == l.largest->key;
        })) {
        c.items.push_back(*l.largest);
    }
    for (const auto& [opaque, waiting] : l.open) {
        if (auto* const o = operations_.find(waiting.row))
            o->waited_ns = c.life.to - o->sent.time_ns;
    }
    take_retries(c, story);
    add_streams(c, l, state);
    add_refusals(c, story);
    add_rollbacks(c, story);
    live_.erase(c.id);
}

void dcp_collector::add_row(stream_row row) {
    if (m_.streams.size() >= cap::streams) {
        ++m_.streams_left_out;
        return;
    }
    m_.streams.push_back(std::move(row));
}

void dcp_collector::add_streams(connection& c, const live& l, const dcp::connection& state) {
    for (std::size_t i = 0; i < state.stream_count(); ++i) {
        const auto& s = state.stream(i);
        stream_row r;
        r.connection = c.id;
        r.partition = s.vbucket;
        if (s.has_stream_id) r.stream_id = s.stream_id;
        r.opaque = s.opaque;
        r.start = s.start, r.end = s.end, r.vbucket_uuid = s.uuid;
        r.snapshot_start = s.snapshot_start, r.snapshot_end = s.snapshot_end;
        r.flags = s.flags;
        r.filter = s.filter;
        r.asked = s.asked, r.answered = s.opened, r.finished = s.ended;
        if (s.state == dcp::stream_state::ended) {
            r.state = stream_state::ended;
            r.end_reason = s.reason;
            r.end_name = end_words(s.reason);
        } else if (s.state == dcp::stream_state::closing) {
            r.state = stream_state::closed;
        } else {
            r.state = s.request_seen ? stream_state::open : stream_state::unknown_start;
            r.live = true;
        }
        r.snapshots = s.snapshots;
        // Everything that has a seqno of its own.
        r.items = s.mutations + s.deletions + s.expirations + s.prepares + s.commits + s.aborts +
                  s.system_events;
        r.mutations = s.mutations, r.deletions = s.deletions, r.expirations = s.expirations;
        r.first_seqno = s.first_seqno, r.last_seqno = s.last_seqno;
        r.snapshot_known = s.in_snapshot;
        r.snapshot_complete = s.marker_complete;
        r.last_snapshot_start = s.marker_start, r.last_snapshot_end = s.marker_end;
        r.last_item_ns = s.last_item.time_ns;
        r.open_prepares = s.open_prepares;
        r.repeated = s.repeated, r.repeated_first = s.repeated_first,
        r.repeated_last = s.repeated_last;
        r.resumable = s.has_items || s.request_seen;
        r.resume_uuid = s.log_uuid;
        r.resume_seqno = s.last_seqno;
        r.resume_snapshot_start = s.resume_snapshot_start();
        r.resume_snapshot_end = s.resume_snapshot_end();
        const auto seen = l.streams.find(s.opaque);
        if (seen != l.streams.end() && seen->second.partition == s.vbucket)
            r.not_captured = seen->second.not_captured;
        add_row(std::move(r));
    }
}

void dcp_collector::add_refusals(connection& c, const dcp::connection_story& story) {
    stream_row r;
    m_.streams_left_out += story.refused - story.refusals.size();
    for (const auto& refused : story.refusals) {
        c.ticks.add(tick_kind::refused, refused.answered.time_ns);
        // A client that asks again and again alike gets one row.
        if (r.times > 0 && r.state == stream_state::refused && r.partition == refused.vbucket &&
            r.status == refused.status && r.start == refused.start) {
            ++r.times;
            continue;
        }
        if (r.state == stream_state::refused) add_row(r);
        r = {};
        r.connection = c.id;
        r.partition = refused.vbucket;
        r.opaque = refused.opaque;
        r.state = stream_state::refused;
        r.status = refused.status;
        r.status_name = refusal_words(refused.status);
        r.start = refused.start, r.end = refused.end, r.vbucket_uuid = refused.uuid;
        r.snapshot_start = refused.snapshot_start, r.snapshot_end = refused.snapshot_end;
        r.asked = refused.asked, r.answered = refused.answered;
    }
    if (r.state == stream_state::refused) add_row(r);
}

void dcp_collector::add_rollbacks(connection& c, const dcp::connection_story& story) {
    stream_row r;
    m_.streams_left_out += story.rolled_back - story.rollbacks.size();
    for (const auto& back : story.rollbacks) {
        c.ticks.add(tick_kind::rollback, back.answered.time_ns);
        if (r.state == stream_state::rolled_back && r.partition == back.vbucket &&
            r.start == back.start && r.vbucket_uuid == back.uuid && r.rollback_to == back.to) {
            ++r.times;
            continue;
        }
        if (r.state == stream_state::rolled_back) add_row(r);
        r = {};
        r.connection = c.id;
        r.partition = back.vbucket;
        r.state = stream_state::rolled_back;
        r.status = dcp::status::rollback;
        r.status_name = "rollback";
        r.start = back.start, r.vbucket_uuid = back.uuid, r.rollback_to = back.to;
        r.asked = back.asked, r.answered = back.answered;
    }
    if (r.state == stream_state::rolled_back) add_row(r);
}

// ---- the end of the capture

void dcp_collector::finish() {
    m_.writes_left_out = writes_.left_out();
    m_.operations_left_out = operations_.left_out();
    m_.writes = writes_.take();
    m_.operations = operations_.take();
    say_what_applications_saw();
}

// Prepares of a replica and the application's own write are on different connections: joined by
// vbucket and key.
void dcp_collector::say_what_applications_saw() {
    std::multimap<std::pair<std::uint16_t, std::string_view>, const operation*> durable;
    for (const auto& o : m_.operations) {
        if (!o.level.empty() && o.partition)
            durable.emplace(std::pair{*o.partition, std::string_view{o.key}}, &o);
    }
    if (durable.empty()) return;
    for (auto& w : m_.writes) {
        const auto [first, end] = durable.equal_range({w.partition, w.key});
        const auto until =
            w.finished.frame != 0 ? w.finished.time_ns : w.prepared.time_ns + w.latency_ns;
        for (auto it = first; it != end; ++it) {
            const auto& o = *it->second;
            // Sent before the prepare: its cause. While it was open: refused because of it.
            const auto cause = o.sent.time_ns <= w.prepared.time_ns &&
                               (!o.has_answer || o.answered.time_ns >= w.prepared.time_ns);
            const auto during = o.sent.time_ns > w.prepared.time_ns && o.sent.time_ns < until;
            if (!cause && !during) continue;
            auto text = o.has_answer
                            ? fmt::format("{} after {}", o.status_name, duration(o.waited_ns))
                            : std::string("no answer in the capture");
            if (o.has_answer && o.status != 0)
                text = fmt::format("{} (0x{:02x}) after {}", o.status_name, o.status,
                                   duration(o.waited_ns));
            w.application_connection =
                w.application.empty() || w.application_connection == o.connection ? o.connection
                                                                                  : 0;
            w.application += fmt::format("{}{}{}", w.application.empty() ? "" : "; ",
                                         during ? "another write: " : "", text);
            if (w.application.size() > 300) break;
        }
    }
}

}  // namespace cdcscope::report
