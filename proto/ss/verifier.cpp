#include "proto/ss/verifier.h"

#include <optional>

namespace cdcscope::ss {
namespace {

class walker {
  public:
    walker(byte_source& source, std::optional<marker_rule> rule, visitor& v)
        : source_(source), rule_(rule), visitor_(v) {}

    walk_summary run() {
        std::array<std::uint8_t, header_size> bytes{};
        const std::size_t n = source_.read(0, bytes);
        sum_.size = source_.size();
        if (n == byte_source::failed) {
            report(fault::read_failed, 0);
            return sum_;
        }
        const decoded_header h = decode_header({bytes.data(), n});
        if (h.broken) {
            report(h.broken);
            return sum_;
        }
        sum_.readable = true;
        visitor_.on_header(h.value);
        report(h.padding);
        report(h.end_mark);
        if (rule_) markers_.emplace(*rule_, h.value.interval);
        reader from(source_, h.value.interval);
        while (step(from)) {
        }
        sum_.read_to = from.offset();
        sum_.eos = from.eos_seen();
        sum_.size = source_.size();
        if (!broken_) finish(from);
        return sum_;
    }

  private:
    bool step(reader& from) {
        switch (from.next()) {
            case item::message:
                message_read(from);
                return true;
            case item::beacon:
                beacon_read(from.beacon_offset(), from.beacon(), 0);
                return true;
            case item::broken:
                broken_ = true;
                report(from.broken());
                return false;
            case item::end:
                return false;
        }
        return false;
    }

    // What only the end of the file shows.
    void finish(const reader& from) {
        if (sum_.size > sum_.read_to) {
            problem p = at(fault::data_after_eos, sum_.read_to);
            p.stored = sum_.trailing();
            report(p);
        } else if (from.beacon_is_due()) {
            report(fault::beacon_missing, sum_.read_to);
        }
    }

    void message_read(reader& from) {
        const message& m = from.current();
        ++sum_.messages;
        if (!m.checksum_ok() || m.at.key.empty()) ++sum_.damaged;
        if (markers_) report(markers_->count(m));
        check_message(m);
        const std::uint64_t end = m.end;
        visitor_.on_message(from);
        if (end - m.offset == frame_size(m.at.key.size(), m.size)) return;
        from.each_inner_beacon([&](std::uint64_t offset, const beacon_view& b, std::uint64_t left) {
            beacon_read(offset, b, left);
        });
    }

    void check_message(const message& m) {
        if (m.checksum_ok() && m.end_mark_ok && !m.at.key.empty()) return;
        problem p = at(fault::checksum, m.offset);
        p.at = m.at;
        if (!m.checksum_ok()) {
            p.stored = m.stored;
            p.computed = m.computed;
            report(p);
        }
        p.what = fault::message_end_mark;
        if (!m.end_mark_ok) report(p);
        p.what = fault::key_empty;
        if (m.at.key.empty()) report(p);
    }

    void beacon_read(std::uint64_t offset, const beacon_view& b, std::uint64_t left) {
        ++sum_.beacons;
        if (!b.first_mark_ok()) report(fault::beacon_first_mark, offset);
        if (!b.last_mark_ok()) report(fault::beacon_last_mark, offset);
        if (markers_) {
            if (b.remaining() != left) {
                problem p = at(fault::beacon_remaining, offset);
                p.stored = b.remaining();
                p.computed = left;
                report(p);
            }
            report(markers_->check(offset, b));
        }
        visitor_.on_beacon(offset, b);
    }

    static problem at(fault what, std::uint64_t offset) {
        problem p;
        p.what = what;
        p.offset = offset;
        return p;
    }
    void report(fault what, std::uint64_t offset) { report(at(what, offset)); }
    void report(const problem& p) {
        if (!p) return;
        ++sum_.problems;
        visitor_.on_problem(p);
    }

    byte_source& source_;
    std::optional<marker_rule> rule_;
    visitor& visitor_;
    std::optional<marker_check> markers_;
    walk_summary sum_;
    bool broken_ = false;
};

}  // namespace

walk_summary verify(byte_source& source, marker_rule rule, visitor& v) {
    return walker(source, rule, v).run();
}

walk_summary walk(byte_source& source, visitor& v) {
    return walker(source, std::nullopt, v).run();
}

}  // namespace cdcscope::ss
