// The state machine of DCP connections: what a connection did, by the rules D01 to D56 of
// docs/findings.md, told as findings, links, events and figures. One `connection` a TCP connection,
// one `world` a capture.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "proto/dcp/context.h"
#include "proto/dcp/track_links.h"
#include "proto/dcp/track_story.h"
#include "proto/findings/finding.h"
#include "proto/findings/thresholds.h"
#include "proto/wire/bytes.h"
#include "proto/wire/direction.h"

namespace cdcscope::dcp {

// A message in causal order.
struct message_event {
    std::uint32_t id = 0;  // of this message, above 0 and rising; links and findings name it
    frame_ref at;          // frame that completed it
    direction dir = direction::c2s;
    byte_view bytes;   // from its header on; may end inside the value. Valid during the call
    bool cut = false;  // not all of it was captured
};

struct connection_setup {
    std::uint32_t id = 0;        // from 1, as findings give it
    std::string client, server;  // "address:port"
    bool from_start = true;      // the capture holds its beginning
};

enum class collections_choice : std::uint8_t { judge, on, off };  // `--collections auto|on|off`

enum class end_of : std::uint8_t { fin, rst };

struct connection_state;
struct world_state;

class connection final : public connection_names {
  public:
    explicit connection(std::unique_ptr<connection_state> state) noexcept;
    ~connection() override;

    // Never throws, calls nothing but the sinks; what it gives back can be kept.
    track_record feed(const message_event& message) noexcept;
    // Something that `from` sent was not captured, here in causal order. Not for a hole in the
    // value of one cut message.
    void hole(direction from) noexcept;
    // Where a message of `from` should begin, and nothing is missing in front, are `size` bytes
    // that begin none: what was sent before has a wrong length. Hides messages as a hole does.
    void broken(direction from, std::uint64_t size, const frame_ref& at,
                std::uint32_t event) noexcept;
    // The order of the two directions is not known from here on: what compares them is only noted.
    void order_unknown() noexcept;
    // FIN or RST of `from`; `event`: its id among the messages, or 0.
    void end(direction from, end_of how, const frame_ref& at, std::uint32_t event = 0) noexcept;
    // Nothing more will come: the end of the capture, or the ports are used anew. Findings that
    // only now are certain are given.
    void finish(const frame_ref& at, std::uint32_t event = 0) noexcept;

    // In force now, for the next message.
    [[nodiscard]] decode_context context() const noexcept;

    [[nodiscard]] std::string_view bucket() const noexcept override;
    [[nodiscard]] std::string_view connection_name() const noexcept override;
    [[nodiscard]] collection_name collection(std::uint32_t id) const noexcept override;
    [[nodiscard]] std::string_view scope(std::uint32_t id) const noexcept override;

    // Figures; final after finish().
    [[nodiscard]] const connection_story& story() const noexcept;
    // Streams in order of opening; the index of a stream is from 1, old ones are dropped when there
    // are very many.
    [[nodiscard]] std::size_t stream_count() const noexcept;
    [[nodiscard]] const stream_story& stream(
        std::size_t n) const noexcept;  // 0 to stream_count() - 1

  private:
    std::unique_ptr<connection_state> state_;
};

// Sinks outlive the world; links and observer may be null.
struct world_sinks {
    findings::finding_sink* findings = nullptr;
    link_sink* links = nullptr;
    observer* watch = nullptr;
};

class world {
  public:
    world(const world_sinks& sinks, const findings::thresholds& limits,
          collections_choice collections = collections_choice::judge);
    ~world();
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    // A new connection; it belongs to the caller and must not outlive the world.
    [[nodiscard]] std::unique_ptr<connection> add(connection_setup setup);

  private:
    std::unique_ptr<world_state> state_;
};

}  // namespace cdcscope::dcp
