// `cdcscope streams`: the TCP connections, their bytes and gaps; with -w the bytes themselves.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "analyzer/capture/reader.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/notices.h"
#include "analyzer/cli/pipeline.h"
#include "analyzer/cli/signals.h"
#include "analyzer/cli/summary_json.h"
#include "analyzer/cli/terminal.h"
#include "analyzer/recover/foreign.h"
#include "analyzer/recover/stream_survey.h"
#include "analyzer/report/format.h"
#include "analyzer/track/figures.h"
#include "proto/findings/finding_json.h"
#include "proto/json/json_writer.h"

namespace cdcscope::cli {
namespace {

struct streams_options {
    common_options common;
    std::string folder;
    bool json = false;
    bool force = false;
};

class collector final : public recover::survey_sink {
  public:
    void on_stream(const recover::stream_row& row) override { rows.push_back(row); }
    std::vector<recover::stream_row> rows;
};

std::string role(const recover::stream_row& row) {
    switch (row.carries) {
        case recover::protocol::dcp:
            return row.speaks_dcp ? "DCP" : "KV";
        case recover::protocol::canal:
            return "canal";
        case recover::protocol::canal_admin:
            return "admin";
        case recover::protocol::tls:
            return row.foreign.name.empty() ? "TLS" : recover::foreign_words(row.foreign);
        case recover::protocol::unknown:
            return "empty";
        case recover::protocol::other:
            break;
    }
    return row.foreign.name.empty() ? "other" : std::string(row.foreign.name);
}

std::string table(const std::vector<recover::stream_row>& rows) {
    std::size_t client = 6, server = 6, kind = 4;
    for (const recover::stream_row& r : rows) {
        client = std::max(client, capture::to_string(r.client).size());
        server = std::max(server, capture::to_string(r.server).size());
        kind = std::max(kind, role(r).size());
    }
    std::string text = fmt::format(
        "       {:<{}}  {:<{}}  {:<{}}  {:>13}  {:>13}  {:>4}  {:<12}  {}\n", "client", client,
        "server", server, "role", kind, "bytes c2s", "bytes s2c", "gaps", "from", "lasts");
    const auto bytes_of = [](const recover::stream_side& s) {
        return s.segments.segments == 0 ? "not captured" : report::number(s.stream_bytes);
    };
    for (const recover::stream_row& r : rows) {
        text += fmt::format("  {:<4} {:<{}}  {:<{}}  {:<{}}  {:>13}  {:>13}  {:>4}  {:<12}  {}\n",
                            fmt::format("c{}", r.id), capture::to_string(r.client), client,
                            capture::to_string(r.server), server, role(r), kind,
                            bytes_of(r.sides[0]), bytes_of(r.sides[1]),
                            r.sides[0].gaps + r.sides[1].gaps, report::time_of_day(r.first.time_ns),
                            report::duration(r.last.time_ns - r.first.time_ns));
    }
    for (const recover::stream_row& r : rows) {
        for (const direction way : {direction::c2s, direction::s2c}) {
            for (const recover::stream_gap& g : r.sides[index(way)].gap_list) {
                text += fmt::format("\n  c{} {}: {} never captured at offset {}", r.id, name(way),
                                    report::exact_bytes(g.length), report::number(g.offset));
            }
        }
    }
    if (!text.ends_with('\n')) text += "\n";
    return report::plain_spaces(text);
}

std::string_view reason(recover::gap_reason r) {
    constexpr std::string_view names[] = {"acked_unseen", "not_acked", "snaplen", "memory_cap"};
    return names[static_cast<std::size_t>(r)];
}

std::string_view ending(recover::end_kind k) {
    constexpr std::string_view names[] = {"fin", "rst", "reused", "timed_out", "end_of_capture"};
    return names[static_cast<std::size_t>(k)];
}

void write_side(json_writer& out, std::string_view key, const recover::stream_side& s) {
    out.name(key).begin_object();
    out.field("streamBytes", s.stream_bytes)
        .field("capturedBytes", s.stream_bytes - s.gap_bytes)
        .field("gapBytes", s.gap_bytes)
        .field("gaps", s.gaps)
        .field("fromStart", s.from_start)
        .field("segments", s.segments.segments)
        .field("duplicateBytes", s.segments.duplicate_bytes)
        .field("conflictBytes", s.segments.conflict_bytes)
        .field("retransmissions", s.segments.retransmissions);
    out.name("gapList").begin_array();
    for (const recover::stream_gap& g : s.gap_list) {
        out.begin_object()
            .field("offset", g.offset)
            .field("length", g.length)
            .field("reason", reason(g.reason))
            .end_object();
    }
    out.end_array().end_object();
}

std::string as_json(const std::vector<recover::stream_row>& rows) {
    json_writer out;
    out.begin_object().name("connections").begin_array();
    for (const recover::stream_row& r : rows) {
        out.begin_object().field("id", r.id);
        out.field("client", std::string_view(capture::to_string(r.client)));
        out.field("server", std::string_view(capture::to_string(r.server)));
        out.field("protocol", protocol_name(r.carries));
        out.field("role", r.carries == recover::protocol::tls ? std::string_view("TLS")
                                                              : std::string_view(role(r)));
        if (!r.foreign.name.empty()) out.field("looksLike", r.foreign.name);
        if (!r.foreign.version.empty()) {
            out.field("version", std::string_view(r.foreign.version));
            if (r.foreign.only_offered) out.field("versionOffered", true);
        }
        out.name("frames").begin_array().number(r.first.frame).number(r.last.frame).end_array();
        out.field("first", std::string_view(findings::rfc3339(r.first.time_ns)));
        out.field("last", std::string_view(findings::rfc3339(r.last.time_ns)));
        out.field("ended", ending(r.how));
        write_side(out, "c2s", r.sides[0]);
        write_side(out, "s2c", r.sides[1]);
        out.end_object();
    }
    out.end_array().end_object();
    return std::string(out.text()) + "\n";
}

track::losses losses_of(const std::vector<recover::stream_row>& rows) {
    using recover::gap_reason;
    track::losses all;
    for (const recover::stream_row& r : rows) {
        track::connection_losses c;
        c.id = r.id;
        c.first = r.first;
        c.ours = r.carries == recover::protocol::dcp || r.carries == recover::protocol::canal ||
                 r.carries == recover::protocol::canal_admin;
        for (const recover::stream_side& s : r.sides) {
            const auto add = [&](track::loss& to, gap_reason why) {
                const auto& lost = s.lost[static_cast<std::size_t>(why)];
                if (lost.count > 0) to.add({lost.count, lost.bytes, 1, r.id, lost.first});
            };
            add(c.holes, gap_reason::acked_unseen);
            add(c.holes, gap_reason::not_acked);
            add(c.given_up, gap_reason::memory_cap);
            if (s.stream_bytes == 0) continue;
            c.late_start = c.late_start || !s.from_start;
        }
        c.holes.connections = c.holes.count > 0 ? 1 : 0;
        c.given_up.connections = c.given_up.count > 0 ? 1 : 0;
        for (const std::size_t way : {0, 1}) c.seen[way] = r.sides[way].segments.segments > 0;
        all.add(c);
    }
    return all;
}

// What speaks something else on a port of ours; the table has the encrypted ones.
void tell_foreign(const std::vector<recover::stream_row>& rows, const std::string& capture) {
    foreign_connections foreign;
    for (const recover::stream_row& r : rows)
        foreign.add(r.id, r.server.port, r.carries, r.promised, r.foreign);
    for (const std::string& line : foreign.on_our_ports())
        print_error(report::plain_spaces(fmt::format("{}: {}", capture, line)));
}

int streams(const streams_options& o) {
    track::figures figures;
    collector found;
    std::optional<recover::stream_dump> dump;
    if (!o.folder.empty()) {
        std::error_code error;
        std::filesystem::create_directories(o.folder, error);
        if (error) {
            print_error(fmt::format("{}: cannot make this folder: {}; -w NAME writes elsewhere",
                                    o.folder, error.message()));
            return exit_status::failed;
        }
        dump.emplace(o.folder, o.force);
    }
    recover::stream_survey survey(recovery_options(o.common), found, figures,
                                  dump ? &*dump : nullptr);
    capture::reader reader({.segments = &survey, .observations = &figures, .exported = nullptr},
                           {.filter = o.common.filter, .follow = false, .command = "streams"});
    if (const std::string error = open_captures(reader, o.common); !error.empty()) {
        print_error(error);
        return exit_status::failed;
    }
    const outcome how = read_all(
        reader, o.common, [&] { return dump && !dump->error().empty(); },
        [] { return std::uint64_t{0}; });
    if (how == outcome::failed) {
        print_error(reader.error());
        return exit_status::failed;
    }
    reader.finish();
    survey.finish();
    if (dump && !dump->finish().empty()) {
        print_error(dump->error());
        return exit_status::failed;
    }
    std::ranges::sort(found.rows, {}, &recover::stream_row::id);
    if (!print(o.json ? as_json(found.rows) : table(found.rows))) return exit_status::failed;
    if (!o.common.quiet) {
        if (const std::string bounds = time_bounds(o.common); !bounds.empty()) {
            print_warning("streams: the table is of the whole capture, without regard to " +
                          bounds + "; --filter chooses packets");
        }
        const track::losses lost = losses_of(found.rows);
        const tcp::limits limits = recovery_options(o.common).tcp;
        print_notices(notices_of({.files = reader.names(),
                                  .observations = figures.observations(),
                                  .packets = reader.packets(),
                                  .lost = lost,
                                  .limits = limits,
                                  .filtered = !o.common.filter.empty(),
                                  .reads_messages = false}));
        tell_foreign(found.rows, o.common.captures.front());
    }
    return how == outcome::interrupted ? stop_status() : exit_status::done;
}

}  // namespace

void add_streams_command(CLI::App& app, action& run) {
    CLI::App* command = app.add_subcommand("streams", "the TCP connections, their bytes and gaps");
    auto options = std::make_shared<streams_options>();
    add_common_options(*command, options->common);
    command
        ->add_option(
            "-w,--write", options->folder,
            "write each direction's bytes to DIR/c0001.c2s.bin, c0001.s2c.bin; holes are left out")
        ->type_name("DIR");
    command->add_flag("--json", options->json, "the table as JSON");
    command->add_flag("--force", options->force, "with -w: replace files that are there");
    command->callback([&run, options] { run = [options] { return streams(*options); }; });
}

}  // namespace cdcscope::cli
