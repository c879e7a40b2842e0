#include "analyzer/capture/reader.h"

namespace cdcscope::capture {

reader::reader(const sinks& out, reader_options options)
    : out_(out), options_(std::move(options)), decoder_(out) {}

std::string reader::open(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        auto file =
            std::make_unique<capture_file>(name, open_options{options_.follow, options_.command});
        if (!file->error().empty()) return file->error();
        names_.push_back(name);
        files_.push_back(std::move(file));
    }
    return {};
}

step reader::next() {
    packet p;
    while (current_ < files_.size()) {
        capture_file& file = *files_[current_];
        switch (file.next(p)) {
            case next_state::packet:
                p.at.file = static_cast<std::uint32_t>(current_);
                take(p);
                return step::packet;
            case next_state::more:
                return step::idle;
            case next_state::error: {
                const read_problem& why = file.problem();
                out_.observations->on_observation(
                    {why.code, 0, p.at, 0, file.name() + ": " + why.text});
                break;
            }
            case next_state::end:
                break;
        }
        ++current_;
    }
    decoder_.finish();
    return step::done;
}

void reader::take(packet& p) {
    ++totals_.read;
    if (p.bytes.size() < p.wire_length) ++totals_.cut;
    const packet_kind kind = decoder_.decode(p);
    if (kind == packet_kind::tcp || kind == packet_kind::exported_pdu) {
        ++totals_.tcp;
    } else {
        ++totals_.other;
    }
}

reading_progress reader::progress() const noexcept {
    return {};
}

}  // namespace cdcscope::capture
