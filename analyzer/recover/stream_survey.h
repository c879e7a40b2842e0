// The TCP connections of a capture in figures: who, what, how much, what is missing. No payload is
// kept; with a stream_dump it goes to files.
#pragma once

#include <memory>
#include <vector>

#include "analyzer/recover/recovered_connection.h"
#include "analyzer/recover/stream_dump.h"
#include "analyzer/tcp/connection_table.h"

namespace cdcscope::recover {

struct stream_gap {
    std::uint64_t offset = 0, length = 0;
    gap_reason reason = gap_reason::not_acked;
};

struct lost_bytes {
    std::uint64_t count = 0, bytes = 0;  // gaps, and bytes in them
    frame_ref first;                     // the first frame behind the first of them
};

struct stream_side {
    bool from_start = false;         // its SYN was captured
    bool fin = false, rst = false;   // sent by it
    std::uint64_t stream_bytes = 0;  // captured ones and gaps
    std::uint64_t gap_bytes = 0;
    std::uint64_t gaps = 0;
    std::vector<stream_gap> gap_list;  // the first ones, most_listed at most
    lost_bytes lost[4];                // the gaps by reason
    tcp::segment_figures segments;
};

struct stream_row {
    static constexpr std::size_t most_listed = 4096;

    std::uint32_t id = 0;
    capture::endpoint client, server;
    protocol carries = protocol::unknown;   // unknown: not a byte of payload
    bool speaks_dcp = false;                // carries dcp: more than plain key-value requests
    protocol promised = protocol::unknown;  // by the server's port
    foreign_signs foreign;                  // carries other or tls: what it is, if known
    frame_ref first, last;                  // frames
    end_kind how = end_kind::end_of_capture;
    stream_side sides[2];  // by direction
};

class survey_sink {
  public:
    survey_sink() = default;
    survey_sink(const survey_sink&) = delete;
    survey_sink& operator=(const survey_sink&) = delete;
    virtual ~survey_sink() = default;
    // Once a connection is over: not in the order of their numbers. Valid during the call.
    virtual void on_stream(const stream_row& row) = 0;
};

class stream_survey final : public capture::segment_sink, private tcp::consumer_factory {
  public:
    // `dump` may be null. All of them outlive the survey.
    stream_survey(const options& chosen, survey_sink& to, capture::observation_sink& observations,
                  stream_dump* dump);

    void on_segment(const capture::segment& s) override { table_.on_segment(s); }
    void finish() { table_.finish(); }

  private:
    [[nodiscard]] std::unique_ptr<tcp::stream_consumer> open(const tcp::connection& c) override;

    options chosen_;
    survey_sink& to_;
    stream_dump* dump_;
    tcp::connection_table table_;
};

}  // namespace cdcscope::recover
