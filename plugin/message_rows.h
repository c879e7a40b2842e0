// What both protocols' memories share: a row for each message under an id, ids by frame and place
// in it, findings shown from their store, one registry that lives as long as a capture.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "plugin/boundary.h"
#include "plugin/connection.h"
#include "plugin/finding_store.h"
#include "plugin/tcp_watch.h"

namespace cdcscope::ws {

// Rows by id; id 0 is none. `Row` has frame_number().
template <typename Row>
class message_rows {
  public:
    message_rows() { rows_.emplace_back(); }

    // The id of a message seen for the first time: the newest of its connection.
    std::uint32_t add(connection& c, Row row) {
        rows_.push_back(row);
        c.last_message = static_cast<std::uint32_t>(rows_.size() - 1);
        return c.last_message;
    }
    [[nodiscard]] Row& operator[](std::uint32_t id) { return rows_[id < rows_.size() ? id : 0]; }

  private:
    std::deque<Row> rows_;
};

// The ids of a frame's messages follow each other: only the first is kept.
void keep_first_id(packet_info* pinfo, int proto, unsigned ordinal, std::uint32_t id);
[[nodiscard]] std::uint32_t kept_id(packet_info* pinfo, int proto, unsigned ordinal);

// Of the frame's message `ordinal`; 0 if it was not seen on the first pass.
template <typename Row>
[[nodiscard]] std::uint32_t id_of(packet_info* pinfo, int proto, unsigned ordinal,
                                  message_rows<Row>& rows) {
    const std::uint32_t id = kept_id(pinfo, proto, ordinal);
    return rows[id].frame_number() == pinfo->num ? id : 0;
}

// Expert items of what became certain at message `id`.
void show_findings(packet_info* pinfo, proto_item* item, const finding_store& found,
                   std::uint32_t id);

// "10.0.0.1:11210"
[[nodiscard]] std::string endpoint(const address& a, std::uint16_t port);

// Everything of a protocol with a destructor, renewed with every (re)load. `Registry` has
// finish(frame_ref), for the end of the capture.
template <typename Registry>
class life_of {
  public:
    [[nodiscard]] static Registry* get() { return known_.get(); }

    static void register_routines() {
        register_init_routine(
            [] { (void)quiet_boundary([] { known_ = std::make_unique<Registry>(); }); });
        register_cleanup_routine([] { known_.reset(); });
        register_postseq_cleanup_routine([] {
            (void)quiet_boundary([] {
                if (known_ != nullptr) known_->finish(last_frame());
            });
        });
    }

  private:
    static inline std::unique_ptr<Registry> known_;
};

}  // namespace cdcscope::ws
