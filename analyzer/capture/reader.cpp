#include "analyzer/capture/reader.h"

#include <algorithm>

namespace cdcscope::capture {

reader::reader(const sinks& out, reader_options options)
    : decoder_(out),
      files_(*out.observations, {options.follow, options.command}),
      filter_text_(std::move(options.filter)),
      filters_(!filter_text_.empty()) {}

std::string reader::open(const std::vector<std::string>& names) {
    if (std::string error = filter_.set(filter_text_); !error.empty()) return error;
    return files_.open(names);
}

step reader::next() {
    if (finished_) return error_.empty() ? step::done : step::failed;
    packet p;
    switch (files_.next(p)) {
        case next_state::packet:
            return take(p);
        case next_state::more:
            return step::idle;
        case next_state::end:
            finish();
            return step::done;
        default:
            return fail(files_.error());
    }
}

step reader::take(const packet& p) {
    if (!first_.seen) first_ = {true, p.has_time, p.at.time_ns, p.link_type};
    ++totals_.read;
    if (p.bytes.size() < p.wire_length) ++totals_.cut;
    packet_kind kind = packet_kind::other;
    if (!filters_ || filter_.passes(p)) {
        kind = decoder_.decode(p);
    } else if (!filter_.error().empty()) {
        return fail(filter_.error());
    } else {
        ++totals_.left_out;
    }
    const bool wanted = kind == packet_kind::tcp || kind == packet_kind::exported_pdu;
    if (wanted && p.bytes.size() < p.wire_length)
        totals_.cut_to = std::max<std::uint64_t>(totals_.cut_to, p.bytes.size());
    ++(wanted ? totals_.tcp : totals_.other);
    return step::packet;
}

step reader::fail(std::string error) {
    finished_ = true;
    error_ = std::move(error);
    return step::failed;
}

void reader::finish() {
    if (finished_) return;
    finished_ = true;
    decoder_.finish();
    files_.finish();
}

}  // namespace cdcscope::capture
