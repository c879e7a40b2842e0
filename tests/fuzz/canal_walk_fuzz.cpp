// The walker, the typed views and the frame checks on any bytes: offsets stay inside, each message
// in its parent, and what a prefix rules out stays ruled out.
#include <cstdlib>
#include <vector>

#include "proto/canal/frame.h"
#include "proto/canal/view.h"
#include "proto/canal/walk.h"

namespace {

using namespace cdcscope;
using namespace cdcscope::canal;

void require(bool holds) {
    if (!holds) std::abort();
}

struct checker {
    struct range {
        std::size_t from, to;
    };
    std::vector<range> open;

    void inside(const message_field& f) const {
        require(f.tag < f.value && f.value <= f.end);
        require(open.back().from <= f.tag && f.end <= open.back().to);
        if (f.wire == wire_type::length) require(f.value + f.bytes.size() == f.end);
    }
    bool enter(const message_field& f, message_id inner) {
        inside(f);
        require(inner != message_id::none && open.size() <= static_cast<std::size_t>(max_depth));
        open.push_back({f.value, f.end});
        return true;
    }
    void leave(message_id /*inner*/, const outcome& end) {
        require(end.at >= open.back().from && end.at <= open.back().to);
        open.pop_back();
    }
    void field(const message_field& f) const { inside(f); }
};

void views(byte_view bytes) {
    for (std::int32_t type = 0; type <= 13; ++type) (void)parse_request(type, bytes);
    (void)parse_handshake(bytes);
    (void)parse_ack(bytes);
    const entry_view e = parse_entry(bytes);
    require(e.store.size() <= bytes.size());
    std::uint32_t entries = 0;
    for (const byte_view each : occurrences(bytes, fields::messages::messages)) {
        ++entries;
        (void)parse_entry(each);
        (void)parse_column(each);
    }
    require(parse_messages(bytes).entries == entries);
    (void)parse_row_change(bytes);
    (void)parse_pair(bytes);
    (void)parse_transaction(1, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const byte_view bytes(data, size);
    for (const port_kind port : {port_kind::data, port_kind::admin}) {
        checker visitor;
        visitor.open.push_back({7, 7 + size});
        const outcome end = walk(visitor, packet_message(port), bytes, port, 7);
        require(visitor.open.size() == 1);
        require((end.why == fault::none) == parse_packet(bytes, port).ok());
        require((end.why == fault::none) ==
                (check_message(packet_message(port), bytes) == fault::none));
        if (check_packet(bytes, port)) require(end.why == fault::none);

        const match whole = check_frame(bytes, port);
        for (std::size_t n = 0; n < size && n < 64; ++n) {
            const match part = check_frame(bytes.first(n), port);
            if (whole != match::no) require(part != match::no);
            if (part == match::whole) require(whole == match::whole);
        }
    }
    (void)recognise_server(bytes);
    views(bytes);
    return 0;
}
