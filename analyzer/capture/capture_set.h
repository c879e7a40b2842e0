// Several captures as one: sorted by their first packet, merged packet by packet where they overlap
// in time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/capture/capture_file.h"
#include "analyzer/capture/observation.h"

namespace cdcscope::capture {

struct reading_progress {
    std::uint64_t done = 0;   // bytes of the files as stored
    std::uint64_t total = 0;  // 0: not known
    std::uint32_t file = 0;   // that the last packet is of
};

// What a report says of a file.
struct file_facts {
    std::string name;
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;  // of the file as stored; 0: not known
    std::int64_t first_ns = 0, last_ns = 0;
};

class capture_set {
  public:
    capture_set(observation_sink& observations, open_options options)
        : observations_(observations), options_(std::move(options)) {}

    // Opens every file and sorts them. Empty: good; else the text of the error. Only files that
    // overlap in time stay open.
    [[nodiscard]] std::string open(const std::vector<std::string>& names);

    // The next packet of all; next_state::error: error() says why reading cannot go on. A file that
    // is cut or damaged is an observation, and the others are read on.
    next_state next(packet& out);

    // "pcap" or "pcapng": of the file that comes first.
    [[nodiscard]] std::string_view format() const noexcept {
        return members_.empty() ? std::string_view{} : members_.front().format;
    }
    // Files in the order in which frame_ref::file counts them.
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    [[nodiscard]] reading_progress progress() const noexcept;
    // In the order of names().
    [[nodiscard]] std::vector<file_facts> facts() const;
    // Reports what concerns all files. To be called once, at the end.
    void finish();

  private:
    struct member {
        std::string name;
        std::string_view format;
        std::unique_ptr<capture_file> file;  // null: not yet open, or closed
        packet pending;                      // read, not yet given
        bool has_pending = false;
        bool has_first = false;  // first_time is known from a look at the file
        std::int64_t first_time = 0;
        std::int64_t last_time = 0;
        file_progress progress;  // while it is closed
        std::uint64_t packets = 0;
        std::uint64_t timeless = 0;     // packets without a time stamp
        std::uint64_t unread = 0;       // of a link type that is not read
        std::uint32_t read_type = ~0U;  // of the last packet whose link type is read
        std::vector<std::uint32_t> unread_types;
    };

    [[nodiscard]] std::size_t index_of(const member& m) const noexcept {
        return static_cast<std::size_t>(&m - members_.data());
    }
    std::string look_at(member& m, bool only_one);
    bool begin(member& m);
    // Reads the next packet of a member into its `pending`.
    next_state fetch(member& m);
    // Keeps account of a packet that has become pending.
    void note(member& m);
    static void note_link_type(member& m, std::uint32_t link_type);
    void close(member& m);
    bool choose();
    void select(std::size_t n);
    void report_file(const member& m);
    void report_overlap(const member& ended);

    observation_sink& observations_;
    open_options options_;
    std::vector<member> members_;  // sorted
    std::vector<std::string> names_;
    // Begun and not ended; all but the current one have a pending packet.
    std::vector<std::size_t> active_;
    std::size_t to_open_ = 0;  // members_[to_open_] and later have not begun
    std::size_t current_ = 0;  // being read, if chosen_
    bool chosen_ = false;
    std::int64_t current_until_ = 0;  // it stays so as long as its packets are not later than this
    std::uint64_t largest_step_back_ = 0;  // ns
    frame_ref step_back_at_;
    std::string error_;
};

}  // namespace cdcscope::capture
