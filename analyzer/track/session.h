// Feeds what was recovered to the state machines, a connection at a time, and hands messages on
// with what they say of them: what extract and report have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <variant>
#include <vector>

#include "analyzer/recover/message.h"
#include "analyzer/track/losses.h"
#include "proto/canal/track.h"
#include "proto/dcp/track.h"
#include "proto/findings/thresholds.h"

namespace cdcscope::track {

// Everything that recover::handler tells, with the state machines' part in it. Within a connection,
// calls come in causal order.
class observer {
  public:
    observer() = default;
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;
    virtual ~observer() = default;

    virtual void on_connection(const recover::connection_info& /*c*/) {}
    virtual void on_protocol(const recover::connection_info& /*c*/) {}
    virtual void on_dcp(const recover::message& /*m*/, const dcp::track_record& /*said*/,
                        const dcp::connection& /*state*/) {}
    virtual void on_canal(const recover::message& /*m*/, const canal::track_record& /*said*/,
                          const canal::world& /*state*/) {}
    // After the message (or end) at which it became certain.
    virtual void on_finding(const findings::finding& /*f*/) {}
    // As findings::finding_sink tells it; after the finding itself.
    virtual void on_settled(const findings::settlement& /*s*/) {}
    virtual void on_gap(const recover::gap& /*g*/) {}
    virtual void on_unparsed(const recover::unparsed_run& /*u*/) {}
    virtual void on_end(std::uint32_t /*connection*/, direction /*dir*/, recover::end_kind /*how*/,
                        const frame_ref& /*at*/) {}
    virtual void on_totals(std::uint32_t /*connection*/, const recover::direction_totals& /*c2s*/,
                           const recover::direction_totals& /*s2c*/) {}
    // A whole message behind judge_until(): the state machines did not hear of it.
    virtual void on_message_left_out(const recover::message& /*m*/) {}
    // `state` is null where no DCP was spoken; it is gone after the call.
    virtual void on_closed(std::uint32_t /*connection*/, recover::end_kind /*how*/,
                           const frame_ref& /*at*/, const dcp::connection* /*state*/) {}
};

struct options {
    findings::thresholds limits;
    dcp::collections_choice collections = dcp::collections_choice::judge;
    dcp::observer* watch_dcp = nullptr;      // courses for charts
    canal::observer* watch_canal = nullptr;  // batches, transactions, links
};

class session final : public recover::handler {
  public:
    session(const options& chosen, observer& to);
    ~session() override;

    // The state machines stop there: what goes on is settled as it is then.
    void judge_until(std::int64_t until_ns) noexcept { until_ns_ = until_ns; }

    void on_connection(const recover::connection_info& c) override;
    void on_protocol(const recover::connection_info& c) override;
    void on_late_start(recover::protocol promised, const frame_ref& at) override;
    void on_message(const recover::message& m) override;
    void on_gap(const recover::gap& g) override;
    void on_unparsed(const recover::unparsed_run& u) override;
    void on_missing(std::uint32_t connection, direction dir, std::uint64_t offset) override;
    void on_behind(std::uint32_t connection, bool behind) override;
    void on_unheard(recover::protocol promised, bool is) override;
    void on_end(std::uint32_t connection, direction dir, recover::end_kind how,
                const frame_ref& at) override;
    void on_totals(std::uint32_t connection, const recover::direction_totals& c2s,
                   const recover::direction_totals& s2c) override;
    void on_closed(std::uint32_t connection, recover::end_kind how, const frame_ref& at) override;

    // The capture is over; after the last on_closed.
    void finish();

    [[nodiscard]] const canal::world& canal_world() const noexcept { return canal_world_; }
    // Of the connections that are over.
    [[nodiscard]] const losses& lost() const noexcept { return losses_.all(); }

  private:
    // Findings wait here until the message that brought them was handed on.
    class finding_queue final : public findings::finding_sink {
      public:
        void on_finding(findings::finding found) noexcept override {
            waiting.emplace_back(std::move(found));
        }
        void on_settled(std::uint32_t id, bool over, const frame_ref& at,
                        std::vector<findings::figure> figures, std::string text) noexcept override {
            waiting.emplace_back(
                findings::settlement{id, over, at, std::move(figures), std::move(text), at_end});
        }
        bool at_end = false;  // what is settled now was seen no further
        std::vector<std::variant<findings::finding, findings::settlement>> waiting;
    };
    static constexpr std::uint64_t no_hole = ~std::uint64_t{0};
    struct tracked {
        std::unique_ptr<dcp::connection> dcp;
        std::unique_ptr<canal::tracker> canal;
        bool fed = false, stopped = false;                // stopped: it got to judge_until()
        bool behind_gap[2] = {false, false};              // by direction: no message since
        std::uint64_t told_hole[2] = {no_hole, no_hole};  // before its end was known; by direction
    };

    void start(const recover::connection_info& c);
    [[nodiscard]] tracked* find(std::uint32_t connection);
    // The same if what came at `at` is for the state machines.
    [[nodiscard]] tracked* find(std::uint32_t connection, const frame_ref& at);
    void finish(tracked& t, const frame_ref& at);
    void hand_on_findings();

    observer& to_;
    finding_queue findings_;
    dcp::world dcp_world_;
    canal::world canal_world_;
    std::unordered_map<std::uint32_t, tracked> connections_;
    loss_watch losses_;
    std::uint32_t last_id_ = 0;
    std::int64_t until_ns_ = INT64_MAX;
    frame_ref last_;  // the last that was for them
};

}  // namespace cdcscope::track
