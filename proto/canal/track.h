// The state of canal connections: which answer belongs to which request, what became of each batch,
// transactions over batches, lag, and every finding C1 to C24. One tracker a connection, one world
// for all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "proto/canal/packet_types.h"
#include "proto/findings/finding.h"
#include "proto/findings/thresholds.h"
#include "proto/wire/bytes.h"
#include "proto/wire/direction.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::canal {

// What the traffic tells of the server's version.
enum class server_era : std::uint8_t {
    unknown,
    up_to_1_1_3,
    from_1_1_4,
    from_1_1_4_to_1_1_7,  // it served a client whose login had failed
    after_1_1_8,          // newer wording of errors
};
[[nodiscard]] std::string_view name(server_era era) noexcept;  // "1.1.4 to 1.1.7"

struct message_input {
    std::uint32_t id = 0;  // the caller's; not 0
    direction dir = direction::c2s;
    byte_view payload;  // the Packet, without the 4 length bytes
    frame_span frames;
    std::int64_t first_ns =
        0;  // time of the frame with its first byte; 0: not known (rule 24 rests)
    std::int64_t acknowledges =
        -1;  // how much of the other direction its sender had; -1: not known
};

// What the state machine says of one message. Trivially copyable and small: the plugin keeps one a
// message. Message ids are those given to feed(); 0 is none. Keys and destinations are indices of
// the world, from 1.
struct track_record {
    std::uint32_t request = 0;        // ACK, MESSAGES: the request it answers
    std::uint32_t request_frame = 0;  // the frame that completed that request
    std::uint32_t batch = 0;  // CLIENTACK: the MESSAGES it acknowledges (also told by on_link if it
                              // takes effect later)
    std::uint32_t key = 0;    // server, destination and client id
    std::uint32_t destination = 0;  // of the packet, or of the request it answers
    std::uint32_t outstanding = 0;  // batches of the key after this message
    std::uint64_t outstanding_bytes = 0;
    std::int64_t elapsed_ns =
        -1;  // since the request (answers), since its MESSAGES (CLIENTACK); -1: unknown
    std::int64_t lag_ns =
        0;  // MESSAGES: of its newest entry, if has_lag; negative: the clocks differ
    std::int8_t request_type = -1;  // packet type of the request; -1: none, or a type above 127
    server_era era = server_era::unknown;
    bool has_lag = false;
    bool ignored = false;    // sent when nobody read it any more, or the connection is not canal
    bool malformed = false;  // rule 20 applies to it
};
static_assert(std::is_trivially_copyable_v<track_record> && sizeof(track_record) <= 64);

enum class link_kind : std::uint8_t {
    answered_by,  // request -> its answer
    acked_by,     // MESSAGES -> the CLIENTACK that took effect
    acks,         // CLIENTACK -> its MESSAGES
    dropped_by,   // MESSAGES -> the CLIENTROLLBACK that dropped it
};

enum class batch_fate : std::uint8_t {
    open,  // still so at the end of the capture
    acked,
    rolled_back,
    forgotten,  // the server or instance was restarted
};

struct batch_facts {
    std::uint32_t key = 0;
    std::uint32_t connection = 0;  // that brought it
    std::int64_t id = 0;
    std::uint32_t message = 0;  // of its MESSAGES
    frame_ref delivered;
    std::uint64_t bytes = 0;  // its frame, length included
    std::uint32_t entries = 0;
    std::uint64_t rows = 0;
    std::uint32_t redelivered = 0;  // entries
    std::int64_t newest_execute_ms = 0;
    batch_fate fate = batch_fate::open;
    std::uint32_t closer = 0;  // message that closed it; 0: none
    frame_ref closed;
};

struct transaction_facts {
    std::uint32_t key = 0;
    std::string_view id;                    // transactionId of its end; valid during the call
    bool has_begin = false;                 // its beginning was seen
    std::span<const std::int64_t> batches;  // at most the first 64
    std::uint64_t rows = 0;                 // RowData in it
    std::uint32_t message = 0;              // with its end
    frame_ref at;
};

// Who wants to know more than records and findings.
class observer {
  public:
    observer() = default;
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;
    virtual ~observer() = default;

    // `to` 0 takes the link back: the acknowledgement or rollback was refused.
    virtual void on_link(std::uint32_t /*from*/, link_kind /*kind*/,
                         std::uint32_t /*to*/) noexcept {}
    // Once for each batch, when what became of it is certain, at the latest at world::finish().
    virtual void on_batch(const batch_facts& /*batch*/) noexcept {}
    // At each TRANSACTIONEND, in the order of the entries, while its MESSAGES is fed.
    virtual void on_transaction(const transaction_facts& /*transaction*/) noexcept {}
};

struct destination_info {
    std::string_view server;  // "address:port"
    std::string_view name;    // as sent
    std::uint32_t rank =
        0;  // 0: first server with a destination of that name; else the second (1), third ...
    std::string_view filter;  // in force: the last that was not empty; its first 4,096 bytes
};

struct key_info {
    std::uint32_t destination = 0;
    std::string_view client_id;
    // Resume position: the last entry of the newest batch that was acknowledged; an empty file if
    // there is none.
    std::string_view acked_file;
    std::int64_t acked_offset = 0;
    std::uint32_t open = 0;  // batches outstanding
};

// What connections share. Outlives its trackers.
class world {
  public:
    explicit world(const findings::thresholds& limits = {}, observer* watching = nullptr);
    ~world();
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    // Indices as in the records, 1 to the count. Views are valid until the next feed().
    [[nodiscard]] std::uint32_t destinations() const noexcept;
    [[nodiscard]] destination_info destination(std::uint32_t index) const noexcept;
    [[nodiscard]] std::uint32_t keys() const noexcept;
    [[nodiscard]] key_info key(std::uint32_t index) const noexcept;

    // The capture is known to lack packets of some connection up to then.
    void lacking(std::int64_t upto_ns) noexcept;
    // One connection more (or less) that is there and of which nothing is heard yet: it may get and
    // acknowledge batches of any key.
    void unheard(bool is) noexcept;
    // The capture is over (after every tracker's finish): tells the observer of the batches that
    // stayed open.
    void finish() noexcept;

  private:
    friend class tracker;
    struct state;
    std::unique_ptr<state> state_;
};

struct connection_start {
    std::uint32_t id = 0;     // from 1
    std::string_view server;  // "address:port"
    port_kind port = port_kind::data;
    bool from_start[2] = {true, true};  // by direction: its SYN was captured
};

enum class close_kind : std::uint8_t { fin, rst };

// Feed in causal order. `event` is the id that findings get: of a message, or any other number that
// tells the caller what happened (an end).
class tracker {
  public:
    tracker(world& shared, const connection_start& start, findings::finding_sink& sink);
    ~tracker();
    tracker(const tracker&) = delete;
    tracker& operator=(const tracker&) = delete;

    [[nodiscard]] track_record feed(const message_input& m) noexcept;
    // Something that `dir` sent was not captured.
    void hole(direction dir) noexcept;
    // Where in the stream of `dir` the last one ends, once that is known.
    void hole_ends(direction dir, std::uint64_t offset) noexcept;
    // From here on (or no longer) it is heard of later than other connections are: rules that
    // compare them only note.
    void behind(bool is) noexcept;
    // The order of the two directions is not known from here on: rules that compare them only note.
    void order_unknown() noexcept;
    // A length field that is negative or beyond the cap, where a frame should begin (rules 15 and
    // 20). `behind`: what follows it.
    void bad_length(direction dir, std::uint32_t length, byte_view behind, std::uint32_t event,
                    const frame_span& frames) noexcept;
    // The last frame of `dir` is not whole and no hole is in it. Before or after the end that cut
    // it.
    void incomplete(direction dir, std::uint32_t event, const frame_span& frames) noexcept;
    // The beginning of a frame of which a hole took the rest, from its length on: a batch whose id
    // is in it counts as delivered.
    void damaged(direction dir, byte_view head, std::uint32_t event,
                 const frame_span& frames) noexcept;
    void end(direction dir, close_kind how, std::uint32_t event, const frame_ref& at) noexcept;
    // The capture is over, or the connection is forgotten.
    void finish(std::uint32_t event, const frame_ref& at) noexcept;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace cdcscope::canal
