#include "analyzer/cli/summary_json.h"

#include "proto/json/json_writer.h"

namespace cdcscope::cli {
namespace {

void write_totals(json_writer& out, const recover::direction_totals& t) {
    out.field("streamBytes", t.stream_bytes)
        .field("messageBytes", t.message_bytes)
        .field("gapBytes", t.gap_bytes)
        .field("unparsedBytes", t.unparsed_bytes)
        .field("messages", t.messages)
        .field("gaps", t.gaps)
        .field("unparsed", t.unparsed)
        .field("cutMessages", t.cut_messages)
        .field("duplicateBytes", t.duplicate_bytes)
        .field("conflictBytes", t.conflict_bytes);
}

void write_way(json_writer& out, std::string_view name, const recover::direction_totals& t) {
    out.name(name).begin_object();
    write_totals(out, t);
    out.end_object();
}

void write_observations(json_writer& out, std::string_view name, const track::figures& figures,
                        bool warnings) {
    out.name(name).begin_array();
    for (const track::noticed& n : figures.observations()) {
        if (track::is_warning(n.what) != warnings) continue;
        out.begin_object().field("code", n.code).field("count", n.count);
        if (n.bytes > 0) out.field("bytes", n.bytes);
        if (n.at.frame > 0) out.field("frame", n.at.frame);
        if (n.connection > 0) out.field("connection", n.connection);
        out.field("text", std::string_view(n.text)).end_object();
    }
    out.end_array();
}

}  // namespace

std::string_view protocol_name(recover::protocol p) {
    switch (p) {
        case recover::protocol::dcp:
            return "dcp";
        case recover::protocol::canal:
            return "canal";
        case recover::protocol::canal_admin:
            return "canal-admin";
        case recover::protocol::tls:
            return "tls";
        case recover::protocol::unknown:
        case recover::protocol::other:
            break;
    }
    return "other";
}

std::string summary_json(const std::vector<std::string>& captures,
                         const capture::packet_totals& packets, const track::figures& figures) {
    json_writer out;
    out.begin_object().name("captures").begin_array();
    for (const std::string& name : captures) out.string(name);
    out.end_array();
    out.name("packets").begin_object();
    out.field("read", packets.read)
        .field("tcp", packets.tcp)
        .field("other", packets.other)
        .field("cut", packets.cut);
    out.end_object();
    out.name("connections").begin_array();
    for (const track::connection_figures& c : figures.connections()) {
        if (c.info.id == 0) continue;
        out.begin_object().field("id", c.info.id);
        out.field("client", std::string_view(capture::to_string(c.info.client)));
        out.field("server", std::string_view(capture::to_string(c.info.server)));
        out.field("protocol", protocol_name(c.info.carries));
        write_way(out, "c2s", c.ways[0]);
        write_way(out, "s2c", c.ways[1]);
        out.end_object();
    }
    out.end_array();
    out.name("messages").begin_object().name("byType").begin_object();
    for (const auto& [type, count] : figures.by_type()) out.field(type, count);
    out.end_object().end_object();
    write_way(out, "totals", figures.totals());
    write_observations(out, "warnings", figures, true);
    write_observations(out, "notes", figures, false);
    out.end_object();
    return std::string(out.text()) + "\n";
}

}  // namespace cdcscope::cli
