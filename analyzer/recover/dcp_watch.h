// Tells DCP from the other users of a Couchbase port by the headers alone: bodies are passed over.
#pragma once

#include <algorithm>
#include <array>

#include "analyzer/recover/search.h"
#include "proto/dcp/frame.h"
#include "proto/dcp/opcodes.h"
#include "proto/wire/direction.h"

namespace cdcscope::recover {

class dcp_watch {
  public:
    // `in_step`: the first byte begins a message.
    void begin(direction dir, bool in_step) noexcept { sides_[index(dir)].in_step = in_step; }
    void on_bytes(direction dir, byte_view bytes) {
        side& s = sides_[index(dir)];
        if (!s.in_step) {
            bytes = bytes.subspan(find_message(bytes));
            if (bytes.empty()) return;
            s = {};
        }
        while (!bytes.empty() && !found_) {
            const std::size_t passed = std::min<std::uint64_t>(s.body_left, bytes.size());
            s.body_left -= passed;
            bytes = bytes.subspan(passed);
            const std::size_t taken = std::min(bytes.size(), s.header.size() - s.filled);
            std::copy_n(bytes.begin(), taken, s.header.begin() + s.filled);
            s.filled += taken;
            bytes = bytes.subspan(taken);
            if (s.filled == s.header.size()) judge(s);
            if (!s.in_step) return;
        }
    }
    void on_missing(direction dir, std::uint64_t bytes) noexcept {
        side& s = sides_[index(dir)];
        if (s.in_step && bytes <= s.body_left) {
            s.body_left -= bytes;
        } else {
            s.in_step = false;
        }
    }
    [[nodiscard]] bool found() const noexcept { return found_; }

  private:
    struct side {
        bool in_step = true;
        std::uint64_t body_left = 0;
        std::size_t filled = 0;
        std::array<std::uint8_t, dcp::header_size> header{};
    };
    // Behind a hole or at a late start; bytes.size() if there is none in this chunk.
    static std::size_t find_message(byte_view bytes) {
        const framing rules(protocol::dcp, {});
        boundary_search search;
        for (std::size_t at = 0; at < bytes.size();) {
            const auto found = search.look(rules, static_cast<tcp::position>(at), bytes.subspan(at),
                                           run_end::closed);
            if (found.what != boundary_search::answer::rejected) return at;
            at += found.bytes;
        }
        return bytes.size();
    }
    void judge(side& s) noexcept {
        s.filled = 0;
        if (!dcp::is_candidate(s.header)) {
            s.in_step = false;
            return;
        }
        const dcp::header h = dcp::parse_header(s.header).value;
        s.body_left = h.total_length() - dcp::header_size;
        const dcp::opcode_row* row = dcp::find_opcode(h.kind, h.opcode);
        found_ = h.kind != dcp::magic::push && h.kind != dcp::magic::push_response &&
                 row != nullptr && dcp::tells_dcp(*row);
    }

    side sides_[2];
    bool found_ = false;
};

}  // namespace cdcscope::recover
