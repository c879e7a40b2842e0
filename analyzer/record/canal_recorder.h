// Canal packets as records: packets, row changes, transactions, each under its stream key.

#pragma once

#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/record/canal_packet_json.h"
#include "analyzer/record/canal_row_json.h"
#include "analyzer/record/record.h"

namespace cdcscope::record {

// A stream key in use: what the record about it in `cdcscope.capture` says.
struct canal_stream {
    std::string key;
    std::string kind;  // "canal.packets", "canal.transactions", "canal.rows", "canal.admin"
    std::string name;  // "packets", "transactions", "shop.orders$2023"; bytes as they were sent
    std::string destination;       // as it was sent; empty if it was never named
    std::uint32_t connection = 0;  // whose packet came first
};

class entry_sink {
  public:
    entry_sink() = default;
    entry_sink(const entry_sink&) = delete;
    entry_sink& operator=(const entry_sink&) = delete;
    virtual ~entry_sink() = default;
    // Views are valid during the call; `of` is the stream of its key.
    virtual void on_entry(const entry& e, const canal_stream& of) = 0;
};

// Also an observer of the state machine: it tells which batches a transaction spans. Whoever feeds
// the trackers gives it to their world, or passes on_transaction on.
class canal_recorder final : public canal::observer {
  public:
    // `files`: names of the captures if there are several (wire_json). They must live as long.
    explicit canal_recorder(const options& chosen, std::span<const std::string> files = {});

    // The records of one message, in order: the packet, then its entries. `said` and `world` are
    // the state machine's after it was fed this message. Packets of a connection that has not named
    // its destination yet wait (at most 16).
    void record(const recover::message& m, const canal::track_record& said,
                const canal::world& world, entry_sink& out);
    // Nothing more comes of this connection: its waiting packets go out under its own key.
    void close(std::uint32_t connection, const canal::world& world, entry_sink& out);

    void on_transaction(const canal::transaction_facts& transaction) noexcept override;

    // Keys in order of their first record.
    [[nodiscard]] std::span<const canal_stream> streams() const noexcept { return streams_; }

  private:
    struct waiting_packet {
        recover::message message;
        std::vector<std::uint8_t> bytes;
        canal::track_record said;
    };
    struct connection_state {
        bool settled = false;  // its first packets have gone out
        std::deque<waiting_packet> waiting;
    };
    struct last_position {
        std::string file;
        std::int64_t offset = 0;
        std::uint32_t entries = 0;  // in a row that had it
    };

    void write_packet(const recover::message& m, canal::port_kind port,
                      const canal::track_record& said, const canal::world& world, entry_sink& out);
    void write_entries(const recover::message& m, const canal::packet_view& packet,
                       const canal::track_record& said, const canal::world& world, entry_sink& out);
    void write_entry(const canal::entry_view& e, const entry_origin& from, std::uint32_t connection,
                     const canal::track_record& said, const canal::world& world, entry_sink& out);
    void release(std::uint32_t connection, std::uint32_t destination, const canal::world& world,
                 entry_sink& out);
    [[nodiscard]] bool wanted(const canal::packet_view& packet) const;
    [[nodiscard]] std::uint32_t row_offset(const canal::entry_view& e, std::uint32_t destination);

    // Streams, each key made once.
    [[nodiscard]] const canal_stream& packet_stream(const recover::message& m,
                                                    canal::port_kind port,
                                                    std::uint32_t destination,
                                                    const canal::world& world);
    [[nodiscard]] const canal_stream& entry_stream(const canal::entry_view& e,
                                                   std::uint32_t connection,
                                                   std::uint32_t destination,
                                                   const canal::world& world);
    [[nodiscard]] std::string destination_part(std::uint32_t destination, std::uint32_t connection,
                                               const canal::world& world) const;
    const canal_stream& remember(canal_stream stream);

    options options_;
    canal_packet_json packets_;
    canal_row_json rows_;
    std::unordered_map<std::uint32_t, connection_state> connections_;
    std::unordered_map<std::string, std::size_t> by_place_;  // what a key was made for -> streams_
    std::unordered_map<std::string, std::size_t> by_key_;
    std::vector<canal_stream> streams_;
    std::unordered_map<std::uint32_t, last_position> positions_;  // by destination
    std::deque<transaction_sum> ended_;                           // of the message being recorded
    std::vector<std::uint8_t> blanked_;
    std::string place_;
};

}  // namespace cdcscope::record
