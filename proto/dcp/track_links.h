// Who listens to the state machine besides the findings: links between messages, and the course of
// things for charts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/dcp/context.h"
#include "proto/wire/direction.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::dcp {

// An earlier message is told of a later one; ids are those given to feed(). The other way is in
// track_record.
class link_sink {
  public:
    link_sink() = default;
    link_sink(const link_sink&) = delete;
    link_sink& operator=(const link_sink&) = delete;
    virtual ~link_sink() = default;
    // request: `later` is its response. prepare: its commit, abort or completing mutation.
    // acknowledgement: the BUFFER_ACK that covers it.
    virtual void on_link(link_kind kind, std::uint32_t earlier, std::uint32_t later) noexcept = 0;
};

enum class prepare_outcome : std::uint8_t { committed, aborted, by_snapshot, open };

struct prepare_event {
    std::uint16_t vbucket = 0;
    std::uint64_t seqno = 0;
    std::uint8_t level = 0;  // 1 to 3
    prepare_outcome outcome{};
    std::int64_t latency_ns = -1;  // to commit or abort; -1: not completed
    std::int64_t replica_ns = -1;  // to the first SEQNO_ACK that covers it; -1: none
    std::string_view key;          // without collection prefix; valid during the call
    frame_ref prepared, acked;     // acked: that SEQNO_ACK
};

// A client's write with a durability requirement, as its KV connection shows it.
struct durable_write {
    std::uint32_t connection = 0;
    std::uint16_t vbucket = 0;
    std::uint8_t level = 0;
    std::uint16_t status = 0;
    std::int64_t latency_ns = -1;
    std::string_view key;  // as sent; valid during the call
    frame_ref asked, answered;
};

// The course of a connection, for timelines and charts. Every call has the connection's number and
// the frame.
class observer {
  public:
    observer() = default;
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;
    virtual ~observer() = default;

    // Unacknowledged bytes after each change of them or of the window.
    virtual void on_flow(std::uint32_t /*connection*/, const frame_ref& /*at*/,
                         std::uint64_t /*outstanding*/, std::uint32_t /*window*/) noexcept {}
    // The window is full; and not any more (`over`), or the connection or capture ended so.
    virtual void on_full(std::uint32_t /*connection*/, const frame_ref& /*since*/) noexcept {}
    virtual void on_freed(std::uint32_t /*connection*/, const frame_ref& /*since*/,
                          const frame_ref& /*until*/, bool /*over*/) noexcept {}
    // `stream`: index in connection_story::streams, from 1.
    virtual void on_stream_opened(std::uint32_t /*connection*/, const frame_ref& /*at*/,
                                  std::uint32_t /*stream*/) noexcept {}
    virtual void on_stream_ended(std::uint32_t /*connection*/, const frame_ref& /*at*/,
                                 std::uint32_t /*stream*/) noexcept {}
    virtual void on_snapshot(std::uint32_t /*connection*/, const frame_ref& /*at*/,
                             std::uint32_t /*stream*/, std::uint64_t /*start*/,
                             std::uint64_t /*end*/, std::uint32_t /*flags*/) noexcept {}
    virtual void on_prepare(std::uint32_t /*connection*/, const frame_ref& /*at*/,
                            const prepare_event& /*prepare*/) noexcept {}
    virtual void on_noop(std::uint32_t /*connection*/, const frame_ref& /*at*/, direction /*from*/,
                         bool /*response*/) noexcept {}
    virtual void on_durable_write(const durable_write& /*write*/) noexcept {}
};

}  // namespace cdcscope::dcp
