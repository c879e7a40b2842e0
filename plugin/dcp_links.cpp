#include "plugin/dcp_links.h"

#include "plugin/dcp_fields.h"
#include "plugin/text.h"

namespace cdcscope {
namespace {

using dcp::field_id;

// Adds generated items; nothing where nothing is known.
class adder {
  public:
    adder(const dcp_tree_context& t, proto_tree* tree) : tvb_(t.tvb), tree_(tree) {}

    void frame(field_id id, std::uint32_t number) const {
        if (number != 0) number32(id, number);
    }
    void number32(field_id id, std::uint32_t value) const {
        proto_item_set_generated(proto_tree_add_uint(tree_, dcp_field(id), tvb_, 0, 0, value));
    }
    void number64(field_id id, std::uint64_t value) const {
        proto_item_set_generated(proto_tree_add_uint64(tree_, dcp_field(id), tvb_, 0, 0, value));
    }
    void text(field_id id, const char* value) const {
        if (value != nullptr) {
            proto_item_set_generated(
                proto_tree_add_string(tree_, dcp_field(id), tvb_, 0, 0, value));
        }
    }
    void flag(field_id id) const {
        proto_item_set_generated(proto_tree_add_boolean(tree_, dcp_field(id), tvb_, 0, 0, true));
    }
    void percentage(field_id id, double value) const {
        proto_item_set_generated(proto_tree_add_double_format_value(tree_, dcp_field(id), tvb_, 0,
                                                                    0, value, "%.1f%%", value));
    }
    void duration(field_id id, std::int64_t ns) const {
        constexpr std::int64_t second = 1'000'000'000;
        if (ns < 0) return;
        const nstime_t time = {static_cast<time_t>(ns / second), static_cast<int>(ns % second)};
        proto_item_set_generated(proto_tree_add_time(tree_, dcp_field(id), tvb_, 0, 0, &time));
    }

  private:
    tvbuff_t* tvb_;
    proto_tree* tree_;
};

void add_exchange(const adder& add, const dcp_memory& m) {
    add.frame(field_id::request_in, m.request);
    add.frame(field_id::response_in, m.response);
    if (m.request != 0) add.duration(field_id::response_time, m.elapsed_ns);
    if (m.response != 0) add.duration(field_id::response_time, m.completion_ns);
}

void add_durability(const adder& add, const dcp_memory& m) {
    add.frame(field_id::prepare_in, m.prepare);
    add.frame(field_id::commit_in, m.commit);
    add.frame(field_id::abort_in, m.abort);
    if (m.prepare != 0) add.duration(field_id::prepare_time, m.elapsed_ns);
    if (m.commit != 0 || m.abort != 0) add.duration(field_id::prepare_time, m.completion_ns);
}

void add_stream(const adder& add, const dcp_message& message) {
    const dcp_memory& m = message.memory;
    if (m.stream != 0) add.number32(field_id::stream_index, m.stream);
    add.frame(field_id::stream_open_in, m.opened_by);
    if (m.snapshot != 0) add.number32(field_id::snapshot_index, m.snapshot);
    add.frame(field_id::snapshot_in, m.marker);
    const auto seqno = message.view.own_seqno();
    if (m.marker != 0 && seqno && *seqno <= m.snapshot_end) {
        add.number64(field_id::snapshot_remaining, m.snapshot_end - *seqno);
    }
}

void add_flow(const adder& add, const dcp_memory& m) {
    if (!m.flow_known) return;
    add.number32(field_id::flow_unacked, m.outstanding);
    add.number32(field_id::flow_window, m.window);
    if (m.window != 0) {
        add.percentage(field_id::flow_fill, 100.0 * m.outstanding / m.window);
    }
    add.frame(field_id::flow_ack_in, m.acknowledged_in);
}

}  // namespace

void add_dcp_links(const dcp_tree_context& t, proto_tree* tree, const dcp_message& message) {
    const dcp_memory& m = message.memory;
    if (m.id == 0) return;
    const adder add(t, tree);
    add_exchange(add, m);
    add_durability(add, m);
    add_stream(add, message);
    add_flow(add, m);
    if (message.view.key.prefixed) {
        add.text(field_id::scope_name, m.scope);
        add.text(field_id::collection_name, m.collection);
        if (m.context.collections_judged) add.flag(field_id::collections_judged);
    }
}

}  // namespace cdcscope
