// Canal captures of the project through state machine and recorder, without the layers below.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/record/canal_recorder.h"
#include "proto/canal/track.h"
#include "tests/proto/canal/capture_frames.h"

namespace cdcscope::record {

struct made_record {
    std::string key;
    std::int64_t time_ns = 0;
    std::string payload;
    bool is_json = true;
    canal_stream of;
    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(payload); }
};

struct record_list : entry_sink {
    void on_entry(const entry& e, const canal_stream& of) override {
        all.push_back(
            {std::string(e.key), e.time_ns, std::string(as_text(e.payload)), e.is_json, of});
    }
    std::vector<made_record> all;
};

struct no_findings : findings::finding_sink {
    void on_finding(findings::finding /*found*/) noexcept override {}
};

// Feeds messages of several connections to trackers and a recorder.
class canal_pipeline {
  public:
    explicit canal_pipeline(const options& chosen) : recorder(chosen), world_({}, &recorder) {}

    void connection(std::uint32_t id, const std::string& server, canal::port_kind port) {
        canal::connection_start start;
        start.id = id;
        start.server = server;
        start.port = port;
        ports_.push_back(port);
        trackers_.push_back(std::make_unique<canal::tracker>(world_, start, findings_));
    }

    // `framed`: the 4 length bytes, too.
    void message(std::uint32_t id, direction dir, const std::vector<std::uint8_t>& framed,
                 const frame_span& frames, std::uint64_t offset = 0) {
        recover::message m;
        m.connection = id;
        m.dir = dir;
        m.carries = ports_[id - 1] == canal::port_kind::admin ? recover::protocol::canal_admin
                                                              : recover::protocol::canal;
        m.offset = offset;
        m.wire_length = m.captured = framed.size();
        m.bytes = framed;
        m.frames = frames;
        canal::message_input in;
        in.id = ++number_;
        in.dir = dir;
        in.payload = byte_view(framed).subspan(4);
        in.frames = frames;
        recorder.record(m, trackers_[id - 1]->feed(in), world_, records);
    }
    void end(std::uint32_t id, direction dir, canal::close_kind how, const frame_ref& at) {
        trackers_[id - 1]->end(dir, how, ++number_, at);
    }
    void finish() {
        for (std::uint32_t id = 1; id <= trackers_.size(); ++id)
            recorder.close(id, world_, records);
    }

    canal_recorder recorder;
    record_list records;

  private:
    canal::world world_;
    no_findings findings_;
    std::vector<canal::port_kind> ports_;
    std::vector<std::unique_ptr<canal::tracker>> trackers_;
    std::uint32_t number_ = 0;
};

inline void play(const std::string& capture_name, canal_pipeline& to) {
    const canal::captured capture = canal::read_canal_capture(capture_name);
    std::uint32_t id = 0;
    for (const auto& c : capture.connections) {
        to.connection(++id, c.server,
                      c.server_port == 11110 ? canal::port_kind::admin : canal::port_kind::data);
    }
    for (const auto& e : capture.events) {
        using what = canal::captured_event::what;
        if (e.kind == what::message) {
            std::vector<std::uint8_t> framed(4);
            store_be32(framed.data(), static_cast<std::uint32_t>(e.payload.size()));
            framed.insert(framed.end(), e.payload.begin(), e.payload.end());
            to.message(e.connection + 1, e.dir, framed, e.frames, e.offset);
        } else if (e.kind == what::fin || e.kind == what::rst) {
            to.end(e.connection + 1, e.dir,
                   e.kind == what::rst ? canal::close_kind::rst : canal::close_kind::fin,
                   e.frames.done);
        }
    }
    to.finish();
}

}  // namespace cdcscope::record
