// What a report tells of canal connections: requests, batches and what became of them, lag,
// positions, samples of rows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "analyzer/recover/message.h"
#include "analyzer/report/first_and_last.h"
#include "analyzer/report/model.h"
#include "proto/canal/track.h"
#include "proto/canal/view.h"

namespace cdcscope::report {

class canal_collector final : public canal::observer {
  public:
    explicit canal_collector(model& into) : m_(into) {}

    void on_message(connection& c, const recover::message& m, const canal::track_record& said,
                    const canal::world& world);
    void on_closed(connection& c);
    // After the session's finish: names of transactions, positions to resume from.
    void finish(const canal::world& world);

    void on_batch(const canal::batch_facts& batch) noexcept override;
    void on_transaction(const canal::transaction_facts& transaction) noexcept override;

  private:
    // A batch on its connection; ids may come again after a restart, then at another frame.
    using batch_key = std::tuple<std::uint32_t, std::int64_t, std::uint32_t, std::uint32_t>;

    void take_request(connection& c, const recover::message& m, const canal::packet_view& p);
    void take_login(connection& c, const canal::request_view& r);
    void take_batch(connection& c, const recover::message& m, const canal::packet_view& p,
                    const canal::track_record& said);
    void take_entry(connection& c, batch_row& row, byte_view bytes);
    void take_rows(connection& c, batch_row& row, const canal::header_view& header,
                   byte_view store);
    void name_transactions(const canal::world& world);
    void add_lag(connection& c, std::int64_t lag_ns);

    model& m_;
    first_and_last<batch_row> batches_{cap::batches};
    std::map<batch_key, std::uint64_t> open_;  // their numbers in batches_; fate not known
    struct waiting_transaction {
        std::uint32_t key = 0;
        split_transaction what;
    };
    std::vector<waiting_transaction> transactions_;
    std::unordered_map<std::uint32_t, frame_ref> asked_;  // by connection: the newest GET
    std::map<std::uint32_t, std::pair<std::uint64_t, std::int64_t>>
        newest_acked_;  // by key: batch, executed (ms)
};

}  // namespace cdcscope::report
