// Records into a .ss file: numbered, in time, checked, and never a file that looks whole but is not
// (docs/ss.md section 13, R5 to R19).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analyzer/sink/output_file.h"
#include "analyzer/sink/record_sink.h"
#include "analyzer/sink/ss_source.h"
#include "proto/ss/writer.h"

namespace cdcscope::sink {

struct ss_file_options {
    std::string path;
    bool force = false;   // replace an existing file
    bool append = false;  // continue an existing file; its own beacon interval then counts
    std::uint32_t interval = ss::default_interval;  // see interval_fault()
    std::uint64_t limit = ss::default_file_limit;
    // At the limit go on in x.2.ss, x.3.ss ... Pieces of an earlier run are refused at the start;
    // with `force` those that this run does not replace are noted at the end.
    bool roll = false;
    bool eos = true;
    std::optional<std::int64_t> created_ns;  // else created(), else the time of the first record

    // Asked with the first message of a file that is to be continued: why this run can not go on in
    // it, if so
    // ("written with --payload raw, this run is --payload json").
    std::function<std::string(std::string_view key, byte_view payload)> may_append;
    // Hears of each message with this key in a file that is to be continued.
    std::string watched_key;
    std::function<void(byte_view payload)> on_watched;
};

// Why no file can have this interval; nothing if it can.
[[nodiscard]] std::string interval_fault(std::uint64_t interval);
// What a file with this interval lacks or surprises with; nothing if all is usual.
[[nodiscard]] std::string interval_warning(std::uint32_t interval);

class ss_file_sink final : public record_sink {
  public:
    struct totals {
        std::uint64_t written = 0;  // records in all files
        std::uint64_t refused = 0;  // records that no longer fitted
        std::uint64_t raised_times =
            0;  // records whose time went back, or is out of the format's range
        std::uint64_t files = 0;
    };

    ss_file_sink();
    ~ss_file_sink() override;

    // Opens, locks and, with `append`, reads and verifies what is there. Nothing is changed yet.
    [[nodiscard]] status open(ss_file_options options);

    // Creation time of the file: that of the capture's first packet. Comes before the first record.
    void created(std::int64_t time_ns) noexcept {
        if (!options_.created_ns) created_ns_ = time_ns;
    }

    // The record's key gets its next number. A record that would make the file too large is
    // refused, and all later ones are.
    status write(const record& r) override;

    // Whole: with EOS, unless records were refused or `eos` is off. The file is synced and has its
    // name afterwards.
    status finish(bool whole) override;
    status end(bool whole) override;
    status publish() override;

    // See output_file; after open().
    void stay_closed() {
        stays_closed_ = true;
        file_.stay_closed();
    }

    [[nodiscard]] const totals& figures() const noexcept { return totals_; }
    [[nodiscard]] const std::vector<std::string>& paths() const noexcept { return paths_; }
    // For people, each once: a file name that does not fit the header, an unusual interval, a torn
    // end that was cut off.
    [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }
    [[nodiscard]] bool reader_gone() const noexcept { return file_.reader_gone(); }

  private:
    [[nodiscard]] status open_new(const std::string& path);
    [[nodiscard]] status open_existing();
    // The header, or the cut behind the last whole message of an existing file.
    [[nodiscard]] status begin(std::uint64_t first_record_ms);
    [[nodiscard]] status begin_new(std::uint64_t first_record_ms);
    [[nodiscard]] status begin_append();
    [[nodiscard]] status check(const record& r) const;
    [[nodiscard]] bool fits(const ss::label& message, std::uint32_t size) const;
    [[nodiscard]] status roll();
    [[nodiscard]] status fits_no_piece(std::uint64_t size);
    [[nodiscard]] std::string pieces() const;
    [[nodiscard]] status write_end(bool with_eos);
    [[nodiscard]] status close(bool with_eos);
    void note_older_pieces();
    [[nodiscard]] ss::label next_label(const record& r);
    [[nodiscard]] status outcome(bool well) const;

    ss_file_options options_;
    output_file file_;
    std::optional<ss_file_output> to_;
    std::optional<ss::writer> writer_;
    std::optional<std::int64_t> created_ns_;
    bool begun_ = false;
    bool full_ = false;
    bool stays_closed_ = false;
    std::uint64_t last_ms_ = 0;    // of this run: time never goes back
    std::uint64_t eos_floor_ = 0;  // time of an EOS that was taken off
    struct continued;
    std::unique_ptr<continued> continued_;  // what an existing file was found to be, until begin()
    std::vector<std::string> paths_;
    std::vector<std::string> notes_;
    totals totals_;
};

}  // namespace cdcscope::sink
