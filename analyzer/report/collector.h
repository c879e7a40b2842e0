// Fills a report's model from what the session tells: connections and their bytes, messages,
// findings, and the stories of the state machines.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/capture/observation.h"
#include "analyzer/report/collect_canal.h"
#include "analyzer/report/collect_dcp.h"
#include "analyzer/report/finding_folder.h"
#include "analyzer/report/model.h"
#include "analyzer/track/session.h"
#include "proto/findings/redaction.h"

namespace cdcscope::report {

class collector final : public track::observer, public capture::observation_sink {
  public:
    explicit collector(const findings::thresholds& limits, findings::redaction hides = {})
        : limits_(limits), hides_(hides) {}

    // Findings outside are left out; what lies before still builds state.
    void choose_time(std::optional<std::int64_t> since_ns, std::optional<std::int64_t> until_ns);

    // What the report says of its own making; `filter`: of packets, where one was given.
    void describe_run(std::string command, std::string settings, std::string filter,
                      std::int64_t made_ns);

    [[nodiscard]] dcp::observer* watch_dcp() noexcept { return &dcp_; }
    [[nodiscard]] canal::observer* watch_canal() noexcept { return &canal_; }
    [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }

    // After the session's finish. `captured` has files, span and packets; bytes, messages, holes,
    // ports and observations are added.
    [[nodiscard]] model finish(capture_info captured, const canal::world& world);

    void on_connection(const recover::connection_info& c) override;
    void on_protocol(const recover::connection_info& c) override;
    void on_dcp(const recover::message& m, const dcp::track_record& said,
                const dcp::connection& state) override;
    void on_canal(const recover::message& m, const canal::track_record& said,
                  const canal::world& state) override;
    void on_message_left_out(const recover::message& m) override;
    void on_finding(const findings::finding& f) override;
    void on_settled(const findings::settlement& s) override;
    void on_gap(const recover::gap& g) override;
    void on_unparsed(const recover::unparsed_run& u) override;
    void on_end(std::uint32_t connection, direction dir, recover::end_kind how,
                const frame_ref& at) override;
    void on_totals(std::uint32_t connection, const recover::direction_totals& c2s,
                   const recover::direction_totals& s2c) override;
    void on_closed(std::uint32_t connection, recover::end_kind how, const frame_ref& at,
                   const dcp::connection* state) override;
    void on_observation(const capture::observation& o) override;

  private:
    // The connection was there at `when`, as far as the report looks.
    void lives(connection& c, const frame_ref& when) const;
    [[nodiscard]] connection& at(std::uint32_t id) { return m_.connections.at(id - 1); }
    void add_hole(connection& c, hole h);
    [[nodiscard]] frame_ref in_front_of(const connection& c, const recover::gap& g) const;
    void note_message(const recover::message& m);
    void describe(connection& c, const recover::connection_info& info);
    void add_up();
    void find_ports();
    void tell_what_cannot_be_judged();
    // Of a part of the capture: what had begun before it, and connections that were not there.
    void add_earlier_lags();
    void mark_absent_connections();
    [[nodiscard]] const recover::foreign_signs* foreign_of(std::uint32_t id) const;

    const findings::thresholds& limits_;
    const findings::redaction hides_;
    model m_;
    dcp_collector dcp_{m_};
    canal_collector canal_{m_};
    finding_folder findings_;
    // Of before --since: by id, until it is known whether they lasted; and the last lag of each
    // connection.
    std::unordered_map<std::uint32_t, findings::finding> earlier_;
    std::map<std::uint32_t, findings::finding> earlier_lags_;
    std::vector<observed> observed_;
    std::map<std::string, std::size_t, std::less<>> observed_index_;
    std::int64_t since_ns_ = INT64_MIN, until_ns_ = INT64_MAX;
    std::uint64_t messages_ = 0;
    std::vector<std::uint32_t> cut_files_;
    std::vector<frame_ref> first_frames_;  // of the connections
    struct newest_message {
        std::uint64_t end = 0;  // offset behind it
        frame_ref at;
    };
    std::vector<std::array<newest_message, 2>> newest_;  // of the connections, by direction
    // What is none of our protocols and has a name.
    std::map<std::uint32_t, std::shared_ptr<const recover::foreign_signs>> foreign_;
};

}  // namespace cdcscope::report
