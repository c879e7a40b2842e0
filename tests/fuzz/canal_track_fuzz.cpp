// Two or three connections of canal in any order, with holes, bad lengths and ends: state machine,
// then records, whose JSON must be valid. One operation: a byte that says what, a byte of time, two
// bytes of length, the bytes.
#include <cstdlib>
#include <memory>
#include <set>

#include "analyzer/record/canal_recorder.h"
#include "analyzer/record/stream_key.h"
#include "proto/canal/frame.h"
#include "proto/json/json_document.h"
#include "proto/wire/cursor.h"

namespace {

using namespace cdcscope;

void require(bool holds) {
    if (!holds) std::abort();
}

struct findings_check : findings::finding_sink {
    void on_finding(findings::finding found) noexcept override {
        require(!found.text.empty());
        if (found.id != 0) require(going_on.insert(found.id).second);
    }
    void on_settled(std::uint32_t id, bool /*over*/, const frame_ref& /*at*/,
                    std::vector<findings::figure> figures, std::string text) noexcept override {
        require(going_on.erase(id) == 1 && !text.empty() && !figures.empty());
    }
    std::set<std::uint32_t> going_on;
};

struct entry_check : record::entry_sink {
    void on_entry(const record::entry& e, const record::canal_stream&) override {
        require(!e.key.empty() && e.key.size() <= record::longest_key);
        std::string compact;
        if (e.is_json) require(append_compact_json(compact, e.payload));
    }
};

class scene {
  public:
    explicit scene(const record::options& chosen) : recorder_(chosen), world_({}, &recorder_) {
        for (std::uint32_t i = 0; i < 3; ++i) {
            canal::connection_start start;
            start.id = i + 1;
            start.server = "10.0.0.2:11111";
            start.from_start[0] = start.from_start[1] = i != 1;
            start.port = i == 2 ? canal::port_kind::admin : canal::port_kind::data;
            trackers_[i] = std::make_unique<canal::tracker>(world_, start, findings_);
        }
    }

    void operate(std::uint8_t what, std::uint8_t time, byte_view bytes) {
        const std::uint32_t i = what % 3;
        const direction dir = (what & 0x80U) != 0 ? direction::c2s : direction::s2c;
        canal::tracker& t = *trackers_[i];
        at_.time_ns += std::int64_t{time} * time * 10'000'000;
        ++at_.frame;
        const frame_span frames{at_.frame, at_.frame, at_};
        switch (what / 3 % 12) {
            case 0:
                t.hole(dir);
                break;
            case 1:
                t.end(dir, canal::close_kind::fin, at_.frame, at_);
                break;
            case 2:
                t.end(dir, canal::close_kind::rst, at_.frame, at_);
                break;
            case 3:
                t.incomplete(dir, at_.frame, frames);
                break;
            case 4:
                t.bad_length(dir, 0xf0000000U + time, bytes, at_.frame, frames);
                break;
            case 5:
                t.damaged(dir, bytes, at_.frame, frames);
                break;
            case 6:
                t.order_unknown();
                break;
            default:
                message(i, dir, bytes, frames);
                break;
        }
    }

    void finish() {
        for (std::uint32_t i = 0; i < 3; ++i) {
            trackers_[i]->finish(at_.frame + 1, at_);
            recorder_.close(i + 1, world_, entries_);
        }
        world_.finish();
    }

  private:
    void message(std::uint32_t i, direction dir, byte_view payload, const frame_span& frames) {
        canal::message_input in;
        in.id = at_.frame;
        in.dir = dir;
        in.payload = payload;
        in.frames = frames;
        in.first_ns = at_.time_ns - 50'000'000;
        const canal::track_record said = trackers_[i]->feed(in);
        framed_.assign(4, 0);
        framed_.insert(framed_.end(), payload.begin(), payload.end());
        recover::message m;
        m.connection = i + 1;
        m.dir = dir;
        m.carries = i == 2 ? recover::protocol::canal_admin : recover::protocol::canal;
        m.bytes = framed_;
        m.frames = frames;
        recorder_.record(m, said, world_, entries_);
    }

    record::canal_recorder recorder_;
    canal::world world_;
    findings_check findings_;
    entry_check entries_;
    std::unique_ptr<canal::tracker> trackers_[3];
    std::vector<std::uint8_t> framed_;
    frame_ref at_{1'700'000'000'000'000'000, 0, 0};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    cursor in{byte_view(data, size)};
    const std::uint8_t mode = in.u8();
    record::options chosen;
    chosen.payload = static_cast<record::payload_mode>(mode % 3);
    chosen.blob = (mode & 4U) != 0 ? record::blob_mode::base64 : record::blob_mode::text;
    chosen.redact = static_cast<record::redact_mode>(mode >> 3 & 3U);
    chosen.streams = (mode & 32U) != 0 ? record::layout::changes : record::layout::connection;
    chosen.int64_as_strings = (mode & 64U) != 0;
    scene s(chosen);
    while (in.ok() && !in.at_end()) {
        const std::uint8_t what = in.u8();
        const std::uint8_t time = in.u8();
        const std::size_t length = in.be16();
        if (in.ok()) s.operate(what, time, in.take(std::min(length, in.remaining())));
    }
    s.finish();
    return 0;
}
