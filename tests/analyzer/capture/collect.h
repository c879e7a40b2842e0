// Sinks that keep what they are given, and a run over captures.
#pragma once

#include <string>
#include <vector>

#include "analyzer/capture/reader.h"

namespace cdcscope::capture::testing {

struct kept_segment {
    segment head;  // its payload is not valid any more
    std::string payload;
};

struct collector final : segment_sink, observation_sink, exported_pdu_sink {
    void on_segment(const segment& s) override {
        segments.push_back({s, std::string(as_text(s.payload))});
    }
    void on_observation(const observation& o) override { observations.push_back(o); }
    void on_exported_pdu(const exported_pdu& p) override {
        exported.push_back(p);
        exported_bytes.emplace_back(as_text(p.bytes));
        dissectors.emplace_back(p.dissector);
    }

    [[nodiscard]] sinks all() { return {this, this, this}; }
    [[nodiscard]] std::vector<std::string> codes() const {
        std::vector<std::string> out;
        for (const observation& o : observations) out.emplace_back(findings::entry_of(o.code).text);
        return out;
    }
    [[nodiscard]] std::uint64_t payload_bytes() const {
        std::uint64_t sum = 0;
        for (const kept_segment& s : segments) sum += s.payload.size();
        return sum;
    }

    std::vector<kept_segment> segments;
    std::vector<observation> observations;
    std::vector<exported_pdu> exported;
    std::vector<std::string> exported_bytes;
    std::vector<std::string> dissectors;
};

struct run_result {
    collector found;
    packet_totals packets;
    std::vector<std::string> names;
    std::string error;
};

inline void run(run_result& r, const std::vector<std::string>& names,
                const reader_options& options = {}) {
    reader all(r.found.all(), options);
    r.error = all.open(names);
    if (!r.error.empty()) return;
    step last = step::packet;
    while (last == step::packet || last == step::idle) last = all.next();
    r.error = all.error();
    r.packets = all.packets();
    r.names = all.names();
}

inline std::string data(const std::string& name) {
    return std::string(CDCSCOPE_SOURCE_DIR) + "/tests/data/" + name;
}

}  // namespace cdcscope::capture::testing
