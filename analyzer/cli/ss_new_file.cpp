#include "analyzer/cli/ss_new_file.h"

#include <filesystem>

#include "analyzer/cli/ss_files.h"
#include "proto/wire/utf8.h"

namespace cdcscope::cli {

ss_new_file::ss_new_file(const std::string& path, bool force, std::uint64_t created_ms,
                         std::uint32_t interval)
    : path_(path), to_(file_), writer_(interval) {
    using existing = sink::output_file::existing;
    must(file_.open(path, force ? existing::replace : existing::refuse));
    file_.keep_nothing();
    const std::string name = std::filesystem::path(path).filename().string();
    const std::string_view kept = is_utf8(as_bytes(name)) ? ss::cut_file_name(name) : "";
    done(writer_.open({kept, created_ms, interval}, to_));
}

void ss_new_file::copy(ss::reader& from, const ss::label& as) {
    const ss::message& m = from.current();
    done(writer_.start(as, m.size, m.computed, to_));
    ss::reader::payload_cursor c = from.payload();
    for (byte_view p = from.next_piece(c); !p.empty(); p = from.next_piece(c)) {
        done(writer_.put_payload(p, to_));
    }
    if (c.left() > 0) throw ss_failure{path_ + ": the file read from changed meanwhile"};
    done(writer_.finish(to_));
}

void ss_new_file::finish(std::optional<std::uint64_t> eos_ms) {
    if (eos_ms) done(writer_.write_eos(*eos_ms, to_));
    must(file_.commit());
}

void ss_new_file::done(bool well) const {
    if (!well) must(to_.outcome());
}

}  // namespace cdcscope::cli
