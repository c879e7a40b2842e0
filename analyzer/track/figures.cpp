#include "analyzer/track/figures.h"

#include <algorithm>
#include <array>

namespace cdcscope::track {
namespace {

using findings::code;
constexpr std::array warning_codes{code::capture_snaplen,
                                   code::capture_time_backwards,
                                   code::capture_truncated_file,
                                   code::ip_fragment_incomplete,
                                   code::ip_fragment_overlap,
                                   code::tcp_acked_unseen,
                                   code::tcp_gap,
                                   code::tcp_incomplete_at_end,
                                   code::tcp_mid_stream,
                                   code::tcp_out_of_window,
                                   code::tcp_overlap_conflict,
                                   code::tcp_reordered_syn,
                                   code::tcp_resync};

constexpr std::size_t most_connections = 1000;

void add_up(recover::direction_totals& sum, const recover::direction_totals& t) {
    sum.stream_bytes += t.stream_bytes;
    sum.message_bytes += t.message_bytes;
    sum.gap_bytes += t.gap_bytes;
    sum.unparsed_bytes += t.unparsed_bytes;
    sum.messages += t.messages;
    sum.gaps += t.gaps;
    sum.unparsed += t.unparsed;
    sum.cut_messages += t.cut_messages;
    sum.duplicate_bytes += t.duplicate_bytes;
    sum.conflict_bytes += t.conflict_bytes;
}

}  // namespace

bool is_warning(findings::code code) {
    return findings::entry_of(code).of == findings::protocol::cap ||
           std::ranges::find(warning_codes, code) != warning_codes.end();
}

void observation_log::on_observation(const capture::observation& o) {
    auto found = std::ranges::find(observations_, o.code, &noticed::what);
    if (found == observations_.end()) {
        noticed first;
        first.code = findings::entry_of(o.code).text;
        first.what = o.code;
        first.connection = o.connection;
        first.at = o.at;
        first.text = o.text;
        observations_.push_back(std::move(first));
        found = observations_.end() - 1;
    }
    ++found->count;
    found->bytes += o.bytes;
    if (found->by_connection.size() < most_connections ||
        found->by_connection.contains(o.connection)) {
        ++found->by_connection[o.connection];
    }
}

void figures::add(const recover::connection_info& c) {
    if (connections_.size() < c.id) connections_.resize(c.id);
    connections_[c.id - 1].info = c;
}

void figures::count(std::string_view type, bool response) {
    key_.assign(type);
    if (response) key_ += ".response";
    const auto found = by_type_.find(key_);
    if (found != by_type_.end()) {
        ++found->second;
    } else {
        by_type_.emplace(key_, 1);
    }
}

recover::direction_totals figures::totals(std::uint32_t connection) const {
    recover::direction_totals sum;
    for (const recover::direction_totals& t : connections_.at(connection - 1).ways) add_up(sum, t);
    return sum;
}

recover::direction_totals figures::totals() const {
    recover::direction_totals sum;
    for (const connection_figures& c : connections_) {
        for (const recover::direction_totals& t : c.ways) add_up(sum, t);
    }
    return sum;
}

}  // namespace cdcscope::track
