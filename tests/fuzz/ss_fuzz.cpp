// Any bytes as a .ss file through every reader, and any operations through the writer and back.
#include <cstdlib>
#include <string>
#include <vector>

#include "proto/ss/restore.h"
#include "proto/ss/salvage.h"
#include "proto/ss/seek.h"
#include "proto/ss/verifier.h"
#include "proto/wire/crc16.h"
#include "proto/wire/cursor.h"

namespace {

using namespace cdcscope;
using bytes = std::vector<std::uint8_t>;

void require(bool holds) {
    if (!holds) std::abort();
}

class memory_output final : public ss::output {
  public:
    [[nodiscard]] bool put(byte_view piece) override {
        made.insert(made.end(), piece.begin(), piece.end());
        return true;
    }
    bytes made;
};

class nothing final : public ss::visitor {
  public:
    void on_message(ss::reader& at) override {
        bytes scratch;
        require(at.whole_payload(scratch).size() == at.current().size);
        require(crc16(at.whole_payload(scratch)) == at.current().computed);
    }
};

// Whatever is saved makes a file without a problem.
class rewriter final : public ss::salvage_visitor {
  public:
    explicit rewriter(std::uint32_t interval) : writer_(interval) {
        require(writer_.open({"x", 0, interval}, out_));
    }
    [[nodiscard]] bool on_message(ss::reader& at) override {
        bytes scratch;
        const byte_view payload = at.whole_payload(scratch);
        require(payload.size() == at.current().size && crc16(payload) == at.current().stored);
        require(writer_.write(at.current().at, payload, out_));
        return true;
    }
    void on_lost(const ss::lost_range& l) override { require(l.offset < l.end); }
    void check(std::uint64_t messages) {
        ss::memory_source source(out_.made);
        nothing v;
        const ss::walk_summary sum = ss::verify(source, ss::marker_rule::exact, v);
        require(sum.problems == 0 && sum.messages == messages);
    }

  private:
    ss::writer writer_;
    memory_output out_;
};

void read_as_file(byte_view data) {
    ss::memory_source source(data);
    nothing v;
    const ss::walk_summary exact = ss::verify(source, ss::marker_rule::exact, v);
    (void)ss::verify(source, ss::marker_rule::known, v);
    const ss::restored r = ss::restore(source, v);
    require(r.state.offset <= data.size() || r.damage);
    rewriter to(data.size() % 2 == 0 ? 128 : 1135);
    const ss::salvage_summary saved = ss::salvage(source, to);
    to.check(saved.messages);
    require(exact.problems > 0 || saved.lost_bytes == 0);
    if (!exact.readable) return;
    const std::uint32_t interval = ss::decode_header(data).value.interval;
    const ss::seek_target target{"a", std::nullopt, ss::seek_target::by::sequence, 3};
    const auto direct = ss::seek(source, interval, target, false);
    const auto found = ss::seek(source, interval, target);
    // Beacons of a file with problems may lie.
    require(exact.problems > 0 || found == direct);
}

// The input as operations of a writer; what it writes has no problem and reads back.
void write_and_read(byte_view data) {
    cursor in(data);
    const std::uint32_t interval = 128 + in.be16() % 3000;
    memory_output out;
    ss::writer w(interval);
    require(w.open({"x.ss", in.be16(), interval}, out));
    std::uint64_t messages = 0;
    int times_opened = 0;
    while (in.ok() && !in.at_end() && out.made.size() < 200'000) {
        const std::uint8_t op = in.u8();
        const std::string key(1 + op % 40, static_cast<char>('a' + op % 3));
        const std::uint64_t sequence = in.u8();
        const bytes payload(in.u8() % 8 == 0 ? in.be16() : in.u8(), op);
        require(w.write({key, op % 5U, sequence, sequence * 7}, payload, out));
        ++messages;
        if (op % 16 == 15 && ++times_opened < 8) {
            // Close and go on.
            ss::memory_source source(out.made);
            nothing v;
            ss::restored r = ss::restore(source, v);
            require(!r.damage && r.state.offset == out.made.size() && r.messages == messages);
            w = ss::writer(interval, std::move(r.state));
        }
    }
    ss::memory_source source(out.made);
    nothing v;
    const ss::walk_summary sum = ss::verify(source, ss::marker_rule::exact, v);
    require(sum.problems == 0 && sum.messages == messages && sum.size == w.offset());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const byte_view input(data, size);
    // The first letter of the file mark, so that files can be seeds as they are.
    if (size > 0 && data[0] == 'S') {
        read_as_file(input);
    } else {
        write_and_read(input);
    }
    return 0;
}
