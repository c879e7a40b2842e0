// A .ss file as a list of records: its header, each message in one piece, each beacon.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugin/filetype/wiretap_compat.h"
#include "plugin/ss_record.h"
#include "proto/ss/header.h"
#include "proto/ss/reader.h"

namespace cdcscope::wiretap {

// One of wiretap's two handles of a file.
class handle_source final : public ss::byte_source {
  public:
    explicit handle_source(FILE_T handle) : handle_(handle) {}
    [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::uint8_t> to) override;
    [[nodiscard]] std::uint64_t size() override { return ~std::uint64_t{0}; }

  private:
    FILE_T handle_;
};

struct record {
    ss_record::kind what{};
    std::uint64_t offset = 0;
    std::uint64_t time_ms = 0;
    std::uint8_t flags = 0;
    std::uint16_t beacons = 0;  // inside a message
    std::vector<std::uint8_t> bytes;
    std::uint64_t whole = 0;  // bytes there are, if they were too many to hold
};

enum class next_state : std::uint8_t { record, end, broken };

// One pass over the records, or single ones by offset.
class record_reader {
  public:
    record_reader(FILE_T handle, const ss::header& head);

    // In file order; beacons inside a message come before it.
    [[nodiscard]] next_state next(record& to);
    // The record at an offset that next() gave.
    [[nodiscard]] next_state at(std::uint64_t offset, record& to);
    [[nodiscard]] std::string trouble() const;

  private:
    void take_header(record& to) const;
    void take_beacon(const ss::beacon_view& beacon, std::uint64_t offset, record& to);
    void take_message(record& to);
    [[nodiscard]] next_state read_one(record& to);

    handle_source source_;
    ss::header_bytes header_{};
    std::uint64_t created_ms_;
    ss::reader reader_;
    bool header_given_ = false;
    std::vector<record> waiting_;  // the message behind beacons that were inside it, last first
};

}  // namespace cdcscope::wiretap
