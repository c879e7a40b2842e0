// `ss verify`: every checksum, mark, place of a beacon and marker (R23).
#include <fmt/format.h>

#include "analyzer/cli/command.h"
#include "analyzer/cli/ss_commands.h"
#include "analyzer/cli/ss_damage.h"
#include "analyzer/cli/ss_files.h"
#include "analyzer/cli/terminal.h"
#include "proto/findings/words.h"
#include "proto/json/json_writer.h"
#include "proto/ss/verifier.h"

namespace cdcscope::cli {
namespace {

using findings::grouped;

// What the damage costs, as JSON and people name it.
std::string_view name(ss::reach cost) {
    switch (cost) {
        case ss::reach::nothing:
            return "nothing";
        case ss::reach::seeking:
            return "seeking";
        case ss::reach::message:
            return "message";
        case ss::reach::rest:
            return "rest";
        case ss::reach::file:
            return "file";
    }
    return "";
}

class problems_for_people final : public ss::visitor {
  public:
    void on_problem(const ss::problem& p) override { damage.add(p); }
    damage_list damage;
};

// Written as they are found, so that a file with a million problems costs no memory.
class problems_as_json final : public ss::visitor {
  public:
    explicit problems_as_json(ss_lines& out) : out_(out) { out_.put("{\"problems\":["); }

    void on_problem(const ss::problem& p) override {
        json_.clear();
        json_.begin_object().field("offset", p.offset).field("what", ss::describe(p));
        json_.field("kind", ss::row(p.what).name).field("costs", name(ss::row(p.what).cost));
        if (!p.at.key.empty()) {
            json_.text_or_base64("key", as_bytes(p.at.key)).field("seq", p.at.sequence);
        }
        json_.end_object();
        out_.put(first_ ? "" : ",");
        out_.put(json_.text());
        first_ = false;
    }

    void finish(const ss::walk_summary& s) {
        out_.put(
            fmt::format("],\"eos\":{},\"size\":{},\"messages\":{},\"beacons\":{},"
                        "\"trailingBytes\":{}}}\n",
                        s.eos, s.size, s.messages, s.beacons, s.trailing()));
        out_.flush();
    }

  private:
    ss_lines& out_;
    json_writer json_;
    bool first_ = true;
};

std::string summary_line(const std::string& file, const ss::walk_summary& s) {
    return fmt::format("{}: {} messages and {} beacons in {} B, all right; {}\n", printable(file),
                       grouped(s.messages), grouped(s.beacons), grouped(s.size),
                       s.eos
                           ? "it ends with the end-of-stream message"
                           : "no end-of-stream message: more may come, or the writer was stopped");
}

}  // namespace

int ss_verify(const ss_verify_options& o) {
    const auto source = open_ss(o.file);
    ss_lines out;
    if (o.json) {
        problems_as_json problems(out);
        const ss::walk_summary sum = ss::verify(*source, o.markers, problems);
        problems.finish(sum);
        return sum.problems == 0 ? exit_status::done : exit_status::demanded;
    }
    problems_for_people problems;
    const ss::walk_summary sum = ss::verify(*source, o.markers, problems);
    if (sum.problems == 0) {
        out.put(summary_line(o.file, sum));
        out.flush();
        return exit_status::done;
    }
    problems.damage.print(*source, sum.good());
    return exit_status::demanded;
}

}  // namespace cdcscope::cli
