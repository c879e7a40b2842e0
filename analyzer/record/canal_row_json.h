// Entries of a batch as JSON: row changes as canal's own FlatMessage, the others as events.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/record/canal_values.h"
#include "proto/canal/track.h"
#include "proto/canal/view.h"

namespace cdcscope::record {

// What an entry has from the packet that brought it.
struct entry_origin {
    std::int64_t batch_id = 0;
    std::int64_t time_ns = 0;               // packet time
    std::uint32_t row_offset = 0;           // entries before it that have the same position
    canal::fault why = canal::fault::none;  // of the entry or of what is stored in it
};

// A transaction as a whole, at its end.
struct transaction_sum {
    std::vector<std::int64_t> batches;
    std::uint64_t rows = 0;
};

class canal_row_json {
  public:
    explicit canal_row_json(const options& chosen);

    // The FlatMessage of a ROWDATA entry. One JSON object without line feed; valid until the next
    // call.
    std::string_view write_row(const canal::entry_view& e, const entry_origin& from);
    // Any other entry. `sum`: of a TRANSACTIONEND, if it is known.
    std::string_view write_event(const canal::entry_view& e, const entry_origin& from,
                                 const transaction_sum* sum);

  private:
    // A column name over the rows of an entry: the converter's maps keep the first place and the
    // last value.
    struct slot {
        std::string_view name;
        std::int32_t sql_type = 0;
        std::string_view mysql_type;
        std::size_t row = 0;    // in which it was seen last, from 1
        std::size_t value = 0;  // its index in values of that row
        bool updated = false;
    };
    struct cell {
        std::size_t slot = 0;
        canal::column_view column;
    };

    void write_data(const canal::entry_view& e, canal::event_type type);
    void write_types();
    void write_old(const canal::entry_view& e);
    void read_row(byte_view row, std::uint32_t side);
    void write_cells(bool updated_only);
    [[nodiscard]] std::size_t slot_of(std::string_view name, std::size_t guess);
    void write_position(const canal::entry_view& e, const entry_origin& from);

    options options_;
    json_writer out_;
    canal_values values_;
    std::vector<slot> slots_;
    std::unordered_map<std::string_view, std::size_t> by_name_;  // used from many columns on
    std::vector<cell> cells_;
    std::vector<std::string_view> keys_;
    std::size_t row_ = 0;
};

}  // namespace cdcscope::record
