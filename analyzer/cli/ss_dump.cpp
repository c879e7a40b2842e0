// `ss dump`: every frame as a JSON line: header, message, eos, beacon. Beacons inside a message
// stand behind it.
#include "analyzer/cli/command.h"
#include "analyzer/cli/ss_commands.h"
#include "analyzer/cli/ss_damage.h"
#include "analyzer/cli/ss_files.h"
#include "analyzer/cli/ss_sha256.h"
#include "proto/json/base64.h"
#include "proto/json/json_writer.h"
#include "proto/ss/verifier.h"

namespace cdcscope::cli {
namespace {

class frame_lines final : public ss::visitor {
  public:
    frame_lines(ss_lines& out, bool payload) : out_(out), payload_(payload) {}

    void on_header(const ss::header& h) override {
        interval_ = h.interval;
        begin("header")
            .field("file_name", h.file_name)
            .field("created_at_ms", h.created_ms)
            .field("beacon_interval", h.interval)
            .field("marker_capacity", std::uint64_t{ss::marker_capacity(h.interval)});
        end();
    }

    void on_message(ss::reader& at) override {
        const ss::message& m = at.current();
        begin(m.eos ? "eos" : "message").field("offset", m.offset).field("end", m.end);
        label(m.at);
        json_.field("size", m.size).name("crc16");
        hex16(m.stored);
        if (!m.checksum_ok()) {
            json_.name("crc16_computed");
            hex16(m.computed);
        }
        ss::reader::payload_cursor c = at.payload();
        for (byte_view p = at.next_piece(c); !p.empty(); p = at.next_piece(c)) hash_.update(p);
        json_.name("sha256").hex(hash_.finish(), "");
        if (payload_) json_.name("payload_b64").base64(at.whole_payload(scratch_));
        end();
    }

    void on_beacon(std::uint64_t offset, const ss::beacon_view& b) override {
        begin("beacon")
            .field("offset", offset)
            .field("index", offset / interval_)
            .field("size", std::uint64_t{b.size()})
            .field("remaining", b.remaining())
            .name("items")
            .begin_array();
        b.each_marker([&](const ss::marker& m) {
            json_.begin_object();
            label(m.highest);
            json_.name("running");
            hex16(m.running);
            json_.end_object();
            return true;
        });
        json_.end_array();
        end();
    }

    void on_problem(const ss::problem& p) override { damage_.add(p); }

    [[nodiscard]] const damage_list& damage() const noexcept { return damage_; }

  private:
    json_writer& begin(const char* type) {
        json_.clear();
        return json_.begin_object().field("type", type);
    }
    void end() {
        json_.end_object();
        out_.put(json_.text());
        out_.put("\n");
    }
    void label(const ss::label& l) {
        json_.field("key", l.key)
            .field("shard", l.shard)
            .field("seq", l.sequence)
            .field("ts_ms", l.timestamp_ms);
    }
    void hex16(std::uint16_t value) {
        std::uint8_t bytes[2];
        store_be16(bytes, value);
        json_.hex(bytes, "");
    }

    ss_lines& out_;
    bool payload_;
    json_writer json_;
    sha256 hash_;
    std::vector<std::uint8_t> scratch_;
    std::uint32_t interval_ = ss::default_interval;
    damage_list damage_;
};

}  // namespace

int ss_dump(const ss_dump_options& o) {
    const auto source = open_ss(o.file);
    ss_lines out;
    frame_lines lines(out, o.payload);
    const ss::walk_summary sum = ss::walk(*source, lines);
    out.flush();
    if (lines.damage().count() == 0) return exit_status::done;
    lines.damage().print(*source, sum.good());
    return exit_status::demanded;
}

}  // namespace cdcscope::cli
