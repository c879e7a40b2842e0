// Messages, findings and the capture's own records into a sink: what `extract` does with what was
// recovered.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/capture/reader.h"
#include "analyzer/cli/extract_options.h"
#include "analyzer/cli/extract_output.h"
#include "analyzer/record/canal_recorder.h"
#include "analyzer/record/dcp_recorder.h"
#include "analyzer/record/message_type.h"
#include "analyzer/track/figures.h"
#include "analyzer/track/session.h"
#include "proto/json/json_writer.h"

namespace cdcscope::cli {

class extraction final : public track::observer, private record::entry_sink {
  public:
    extraction(const extract_options& o, track::figures& figures);

    // Before the first packet is read; `captures` outlives the extraction.
    [[nodiscard]] sink::status open(const capture::reader& captures);
    // The last records, and the files under their names. `whole` false: interrupted.
    [[nodiscard]] sink::status finish(bool whole);

    // The first error of a sink; recovery may stop then.
    [[nodiscard]] const sink::status& failure() const noexcept { return failure_; }
    [[nodiscard]] bool reader_gone() const noexcept;

    struct counts {
        std::uint64_t messages = 0, packets = 0, rows = 0, transactions = 0, findings = 0,
                      streams = 0;
    };
    [[nodiscard]] const counts& written() const noexcept { return counts_; }
    [[nodiscard]] const extract_output& output() const noexcept { return output_; }
    [[nodiscard]] canal::observer* watch_canal() noexcept { return &canal_watch_; }

    void on_connection(const recover::connection_info& c) override;
    void on_protocol(const recover::connection_info& c) override;
    void on_dcp(const recover::message& m, const dcp::track_record& said,
                const dcp::connection& state) override;
    void on_canal(const recover::message& m, const canal::track_record& said,
                  const canal::world& state) override;
    void on_finding(const findings::finding& f) override;
    void on_totals(std::uint32_t connection, const recover::direction_totals& c2s,
                   const recover::direction_totals& s2c) override;
    void on_closed(std::uint32_t connection, recover::end_kind how, const frame_ref& at,
                   const dcp::connection* state) override;

  private:
    // Passed on: the recorder is made once the names of the captures are known.
    struct canal_watch final : canal::observer {
        explicit canal_watch(extraction& e) : owner(e) {}
        void on_transaction(const canal::transaction_facts& t) noexcept override {
            owner.canal_->on_transaction(t);
        }
        extraction& owner;
    };

    [[nodiscard]] bool chosen(std::int64_t time_ns);
    // Of canal_, about from_.
    void on_entry(const record::entry& e, const record::canal_stream& of) override;
    void write(std::uint32_t connection, const record::entry& e);
    void write_own(std::uint32_t connection, std::string_view key, std::int64_t time_ns);
    void announce_dcp(const record::dcp_stream& s, const dcp::connection_names& names,
                      std::int64_t time_ns);
    void announce_canal(const record::canal_stream& s, std::int64_t time_ns);
    void begin_announcement(std::string_view key, std::string_view kind, std::uint32_t connection);
    void begin_file(std::uint32_t connection);
    void write_summary(std::uint32_t file);

    const extract_options& options_;
    track::figures& figures_;
    const capture::reader* captures_ = nullptr;
    extract_output output_;
    std::optional<record::dcp_recorder> dcp_;
    std::optional<record::canal_recorder> canal_;
    canal_watch canal_watch_{*this};
    record::message_types types_;
    json_writer json_;    // records of our own
    json_writer origin_;  // a file's first record, which comes before the one being written
    bool bounds_known_ = false;
    std::int64_t since_ns_ = std::numeric_limits<std::int64_t>::min();
    std::int64_t until_ns_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t last_ns_ = 0;
    std::uint32_t from_ = 0;  // connection whose canal entries come
    std::size_t dcp_announced_ = 0, canal_announced_ = 0;
    std::set<std::uint32_t> named_;  // connections whose DCP name was told
    const canal::world* world_ = nullptr;
    sink::status failure_;
    counts counts_;
};

}  // namespace cdcscope::cli
