#include "analyzer/cli/ss_damage.h"
#include "proto/findings/words.h"
#include "proto/ss/salvage.h"

#include <fmt/format.h>

#include "analyzer/cli/ss_files.h"
#include "analyzer/cli/terminal.h"

namespace cdcscope::cli {
namespace {

using findings::grouped;

std::string repair_advice(const std::string& path, std::string_view does) {
    return fmt::format("cdcscope ss repair {} -o good.ss {}", path, does);
}

// Whether what looks like a torn end is a damaged size or key length with whole messages behind it.
bool others_follow(sink::ss_file_source& source, std::uint64_t offset) {
    return ss::holds_message(source, read_ss_header(source).interval, offset);
}

}  // namespace

std::string damage_text(sink::ss_file_source& source, const ss::problem& p, std::uint64_t good) {
    const std::string& path = source.path();
    using ss::fault;
    using ss::reach;
    switch (p.what) {
        case fault::checksum:
            return fmt::format(
                "{}: message {} of {} at byte {} fails its checksum (stored 0x{:04x}, computed "
                "0x{:04x}); {} good ones around it. {}",
                path, p.at.sequence, p.at.key, grouped(p.offset), p.stored, p.computed,
                grouped(good), repair_advice(path, "drops it"));
        case fault::message_cut:
            if (others_follow(source, p.offset)) {
                return fmt::format(
                    "{}: byte {}: no message can be read here, but others follow; {}", path,
                    grouped(p.offset), repair_advice(path, "saves them"));
            }
            return fmt::format("{}: ends inside a message: {} bytes after the {} whole ones; {}",
                               path, grouped(source.size() - p.offset), grouped(good),
                               repair_advice(path, "cuts them off"));
        case fault::data_after_eos:
            return fmt::format(
                "{}: {} bytes follow the end-of-stream message at byte {}, and no reader looks at "
                "them; {}",
                path, grouped(p.stored), grouped(p.offset),
                repair_advice(path, "moves the messages among them in front of it"));
        case fault::header_short:
            return fmt::format(
                "{}: {} bytes, less than the 128 of a header; there is nothing in it", path,
                p.stored);
        default:
            break;
    }
    std::string_view does = "writes it anew";
    if (ss::row(p.what).cost == reach::rest) does = "saves what lies behind it";
    if (ss::row(p.what).cost == reach::file) does = "saves the messages";
    return fmt::format("{}: byte {}: {}; {}", path, grouped(p.offset), ss::describe(p),
                       repair_advice(path, does));
}

void damage_list::add(const ss::problem& p) {
    ++count_;
    if (kept_.size() < max_lines) kept_.push_back({p, std::string(p.at.key)});
}

void damage_list::print(sink::ss_file_source& source, std::uint64_t good) const {
    const std::string& path = source.path();
    for (const kept& k : kept_) {
        ss::problem p = k.what;
        p.at.key = k.key;
        print_error(damage_text(source, p, good));
    }
    if (count_ > kept_.size()) {
        print_error(fmt::format("{}: {} more problems; cdcscope ss verify --json {} lists them all",
                                path, grouped(count_ - kept_.size()), path));
    }
}

}  // namespace cdcscope::cli
