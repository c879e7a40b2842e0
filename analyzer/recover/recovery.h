// The recovery as a whole: segments (and exported PDUs) in, messages out.
#pragma once

#include <map>

#include "analyzer/capture/exported_pdu.h"
#include "analyzer/recover/recovered_connection.h"
#include "analyzer/tcp/connection_table.h"

namespace cdcscope::recover {

class recovery final : public capture::segment_sink,
                       public capture::exported_pdu_sink,
                       private tcp::consumer_factory {
  public:
    // All three outlive it.
    recovery(const options& chosen, handler& to, capture::observation_sink& observations);

    void on_segment(const capture::segment& s) override { table_.on_segment(s); }
    void on_exported_pdu(const capture::exported_pdu& pdu) override;
    // The end of the capture: everything held back is handed over, every connection closed.
    void finish();

    // Bytes held back: late segments, unfinished and waiting messages.
    [[nodiscard]] std::uint64_t held() const noexcept { return table_.held(); }
    [[nodiscard]] std::uint64_t most_held() const noexcept { return table_.most_held(); }
    [[nodiscard]] std::size_t timers() const noexcept { return table_.timers(); }

  private:
    struct pdu_connection {
        capture::endpoint client;
        std::unique_ptr<recovered_connection> records;
        tcp::arrival last;
    };

    [[nodiscard]] std::unique_ptr<tcp::stream_consumer> open(const tcp::connection& c) override;
    pdu_connection& find(const capture::exported_pdu& pdu);

    options chosen_;
    handler& to_;
    tcp::notices notes_;
    tcp::connection_table table_;
    std::map<std::pair<capture::endpoint, capture::endpoint>, pdu_connection> exported_;
    std::uint64_t records_ = 0;
};

}  // namespace cdcscope::recover
