#include "proto/ss/restore.h"

namespace cdcscope::ss {
namespace {

// Follows the walk up to an EOS and remembers what a writer would know there.
class restorer final : public visitor {
  public:
    restorer(byte_source& source, visitor& to) : source_(source), to_(to) {}

    restored run() {
        const walk_summary sum = verify(source_, marker_rule::known, *this);
        restored& r = result_;
        r.state.offset = eos_ ? eos_->offset : sum.read_to;
        if (eos_) r.eos_ms = eos_->at.timestamp_ms;
        r.torn_bytes = eos_ ? 0 : sum.trailing();
        r.messages = sum.messages - (eos_ ? 1 : 0);
        return std::move(r);
    }

    void on_header(const header& h) override {
        result_.interval = h.interval;
        to_.on_header(h);
    }

    void on_message(reader& at) override {
        const message& m = at.current();
        if (m.eos) {
            eos_ = m;
            return;
        }
        result_.state.streams.count(m.at, m.stored);
        to_.on_message(at);
    }

    // Those in and behind the EOS go with it.
    void on_beacon(std::uint64_t, const beacon_view& beacon) override {
        if (!eos_) result_.state.streams.give(beacon.markers());
    }

    void on_problem(const problem& p) override {
        if (p.what == fault::too_many_streams) return;
        if (eos_ && p.what != fault::data_after_eos) return;
        to_.on_problem(p);
        if (p.what == fault::beacon_missing || p.what == fault::beacon_cut) {
            result_.beacon_missing = true;
        } else if (p.what != fault::message_cut && !result_.damage) {
            result_.damage = p;
            result_.damage.at.key = {};
        }
    }

  private:
    byte_source& source_;
    visitor& to_;
    restored result_;
    std::optional<message> eos_;
};

}  // namespace

restored restore(byte_source& source, visitor& v) {
    return restorer(source, v).run();
}

}  // namespace cdcscope::ss
