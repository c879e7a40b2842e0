#include "analyzer/cli/ss_damage.h"
#include "proto/findings/words.h"

#include <fmt/format.h>

#include "analyzer/cli/ss_files.h"
#include "analyzer/cli/terminal.h"

namespace cdcscope::cli {
namespace {

using findings::grouped;

std::string repair_advice(const std::string& path, std::string_view does) {
    return fmt::format("cdcscope ss repair {} -o good.ss {}", path, does);
}

}  // namespace

std::string damage_text(const std::string& path, const ss::problem& p, std::uint64_t good,
                        std::uint64_t trailing) {
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
            return fmt::format("{}: ends inside a message: {} bytes after the {} whole ones; {}",
                               path, grouped(trailing), grouped(good),
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

void damage_list::print(const std::string& path, std::uint64_t good, std::uint64_t trailing) const {
    for (const kept& k : kept_) {
        ss::problem p = k.what;
        p.at.key = k.key;
        print_error(damage_text(path, p, good, trailing));
    }
    if (count_ > kept_.size()) {
        print_error(fmt::format("{}: {} more problems; cdcscope ss verify --json {} lists them all",
                                path, grouped(count_ - kept_.size()), path));
    }
}

}  // namespace cdcscope::cli
