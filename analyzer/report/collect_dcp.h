// What a report tells of DCP and key-value connections: counts, courses for charts, samples, and at
// the end what the state machine made of it (proto/dcp/track_story.h).
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "analyzer/recover/message.h"
#include "analyzer/report/first_and_last.h"
#include "analyzer/report/model.h"
#include "proto/dcp/decode.h"
#include "proto/dcp/document.h"
#include "proto/dcp/track.h"

namespace cdcscope::report {

class dcp_collector final : public dcp::observer {
  public:
    explicit dcp_collector(model& into) : m_(into) {}

    void on_message(connection& c, const recover::message& m, const dcp::track_record& said,
                    const dcp::connection& state);
    // Something from the server was not captured: seqnos may be missing.
    void on_hole(std::uint32_t connection);
    void on_closed(connection& c, const dcp::connection& state);
    // After the last connection: what needs all of them.
    void finish();

    void on_flow(std::uint32_t connection, const frame_ref& at, std::uint64_t outstanding,
                 std::uint32_t window) noexcept override;
    void on_full(std::uint32_t connection, const frame_ref& since) noexcept override;
    void on_freed(std::uint32_t connection, const frame_ref& since, const frame_ref& until,
                  bool over) noexcept override;
    void on_prepare(std::uint32_t connection, const frame_ref& at,
                    const dcp::prepare_event& p) noexcept override;
    void on_noop(std::uint32_t connection, const frame_ref& at, direction from,
                 bool response) noexcept override;

  private:
    struct progress {  // of a stream, by opaque
        std::uint16_t partition = 0;
        std::uint64_t last_seqno = 0;
        std::uint32_t holes = 0;  // of the connection when last_seqno came
        std::vector<std::pair<std::uint64_t, std::uint64_t>> not_captured;
    };
    struct unanswered {  // request of an application
        std::uint8_t opcode = 0;
        std::uint64_t row = 0;  // its number in operations_
    };
    struct live {  // while the connection lasts
        std::map<std::uint32_t, progress> streams;
        std::unordered_map<std::uint32_t, unanswered> open;  // by opaque
        std::uint32_t holes = 0;
        seldom<item_sample> largest;
        std::uint64_t last_write = UINT64_MAX;      // its number in writes_
        std::vector<std::uint32_t> collections;     // ids in keys, at most 100
        std::uint64_t before = 0, outstanding = 0;  // bytes in the window, before and after the
                                                    // newest message that changed them
        bool filled = false;                        // by the message being fed
        bool opens_dcp = false, carries_items = false;
    };

    connection* find(std::uint32_t id) {
        return id == 0 || id > m_.connections.size() ? nullptr : &m_.connections[id - 1];
    }
    void take_filling(connection& c, live& l, const dcp::message_view& v);
    void take_event(connection& c, live& l, const recover::message& m, const dcp::message_view& v,
                    std::uint32_t snapshot);
    void take_item(connection& c, live& l, const recover::message& m, const dcp::message_view& v,
                   std::uint32_t snapshot);
    void take_seqno(live& l, const dcp::message_view& v);
    void take_outcome(live& l, const recover::message& m, const dcp::message_view& v);
    void take_operation(connection& c, live& l, const recover::message& m,
                        const dcp::message_view& v);
    void take_answer(connection& c, live& l, const recover::message& m, const dcp::message_view& v);
    static void take_takeover(connection& c, const recover::message& m, const dcp::message_view& v);
    static void take_close(connection& c, const recover::message& m, const dcp::message_view& v);
    static void take_retries(connection& c, const dcp::connection_story& story);
    [[nodiscard]] item_sample sample_of(const recover::message& m, const dcp::message_view& v);
    static void take_flow(connection& c, const dcp::flow_story& story);
    void add_streams(connection& c, const live& l, const dcp::connection& state);
    void add_refusals(connection& c, const dcp::connection_story& story);
    void add_rollbacks(connection& c, const dcp::connection_story& story);
    void add_row(stream_row row);
    void say_what_applications_saw();

    model& m_;
    first_and_last<durable_write> writes_{cap::writes};
    first_and_last<operation> operations_{cap::operations};
    std::unordered_map<std::uint32_t, live> live_;
    dcp::inflate_buffer inflated_;
};

}  // namespace cdcscope::report
