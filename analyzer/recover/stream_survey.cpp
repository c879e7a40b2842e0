#include "analyzer/recover/stream_survey.h"

#include "analyzer/recover/dcp_watch.h"
#include "analyzer/recover/foreign.h"

namespace cdcscope::recover {

namespace {

class surveyed_connection final : public tcp::stream_consumer {
  public:
    surveyed_connection(const tcp::connection& c, const options& chosen, survey_sink& to,
                        stream_dump* dump)
        : connection_(c),
          to_(to),
          dump_(dump),
          ports_(chosen.ports),
          early_(std::make_unique<early>(detector_for(c.who(), chosen))) {
        row_.id = c.who().id;
        row_.first = c.who().first;
    }

    void on_client(direction side) override {
        if (early_ == nullptr) return;
        flipped_ = side == direction::s2c;
        early_->detect.roles_are_certain();
    }
    void on_start(direction side, tcp::position origin, bool from_syn) override {
        origin_[index(side)] = origin;
        sides_[index(side)].from_start = from_syn;
        if (early_ != nullptr) early_->detect.begin(of(side), from_syn);
    }
    void on_data(const tcp::chunk& c) override {
        sides_[index(c.dir)].stream_bytes += c.size;
        if (early_ == nullptr) {
            if (dump_ != nullptr) dump_->write(row_.id, of(c.dir), c.bytes);
            watch(of(c.dir), c.bytes);
            return;
        }
        early::side& e = early_->sides[index(c.dir)];
        e.bytes.insert(e.bytes.end(), c.bytes.begin(), c.bytes.end());
        decide(early_->detect.look(of(c.dir), e.run()));
        if (early_ != nullptr && e.bytes.size() >= 2 * detector::longest_look) decide_now();
    }
    void on_hole(const tcp::hole& h) override {
        stream_side& s = sides_[index(h.dir)];
        const auto length = static_cast<std::uint64_t>(h.end - h.begin);
        s.stream_bytes += length;
        s.gap_bytes += length;
        ++s.gaps;
        auto& lost = s.lost[static_cast<std::size_t>(h.reason)];
        if (lost.count++ == 0) lost.first = h.behind.at;
        lost.bytes += length;
        if (s.gap_list.size() < stream_row::most_listed) {
            s.gap_list.push_back(
                {static_cast<std::uint64_t>(h.begin - origin_[index(h.dir)]), length, h.reason});
        }
        if (early_ == nullptr) {
            if (watch_ != nullptr) watch_->on_missing(of(h.dir), length);
            if (foreign_ != nullptr) foreign_->on_missing(of(h.dir));
            return;
        }
        early::side& e = early_->sides[index(h.dir)];
        const auto verdict = early_->detect.look_before_hole(of(h.dir), e.run());
        e.run_begins = e.bytes.size();
        decide(verdict);
    }
    void on_settled(direction, tcp::position, const tcp::arrival&) override {}
    void on_end(direction side, end_kind how, tcp::position, tcp::position,
                const tcp::arrival&) override {
        (how == end_kind::fin ? sides_[index(side)].fin : sides_[index(side)].rst) = true;
    }
    void on_close(end_kind how, const tcp::arrival& last) override {
        if (early_ != nullptr) decide_now();
        row_.client = flipped_ ? connection_.who().server : connection_.who().client;
        row_.server = flipped_ ? connection_.who().client : connection_.who().server;
        row_.promised = ports_.at(row_.server.port);
        if (foreign_ != nullptr) row_.foreign = foreign_->signs();
        row_.last = last.at;
        row_.how = how;
        for (const direction dir : {direction::c2s, direction::s2c}) {
            row_.sides[index(dir)] = std::move(sides_[index(of(dir))]);
            row_.sides[index(dir)].segments = connection_.figures(of(dir));
            if (dump_ != nullptr) dump_->write(row_.id, dir, {});
        }
        to_.on_stream(row_);
    }
    [[nodiscard]] std::uint64_t held() const noexcept override {
        return early_ == nullptr ? 0
                                 : early_->sides[0].bytes.size() + early_->sides[1].bytes.size();
    }
    void on_pressure(const tcp::arrival&) override {
        if (early_ != nullptr) decide_now();
    }
    [[nodiscard]] bool wants_content() const noexcept override {
        return early_ != nullptr || dump_ != nullptr || watch_ != nullptr ||
               (foreign_ != nullptr && !foreign_->done());
    }

  private:
    // What came before the protocol was known.
    struct early {
        explicit early(const detector& d) : detect(d) {}
        struct side {
            std::vector<std::uint8_t> bytes;
            std::size_t run_begins = 0;  // behind the last hole
            [[nodiscard]] byte_view run() const noexcept {
                return byte_view(bytes).subspan(run_begins);
            }
        };
        detector detect;
        side sides[2];
    };

    [[nodiscard]] direction of(direction side) const noexcept {
        return flipped_ ? opposite(side) : side;
    }
    void decide_now() {
        const byte_view runs[2] = {early_->sides[index(of(direction::c2s))].run(),
                                   early_->sides[index(of(direction::s2c))].run()};
        const bool silent = early_->sides[0].bytes.empty() && early_->sides[1].bytes.empty();
        decide(early_->detect.decide(runs));
        if (silent) row_.carries = protocol::unknown;
    }
    void decide(const std::optional<detector::verdict>& v) {
        if (!v) return;
        const std::unique_ptr<early> before = std::move(early_);
        row_.carries = v->carries;
        if (v->flip) flipped_ = !flipped_;
        if (v->carries == protocol::dcp) watch_ = std::make_unique<dcp_watch>();
        if (!v->foreign.empty()) foreign_ = std::make_unique<foreign_watch>(v->foreign);
        for (const direction side : {direction::c2s, direction::s2c}) {
            const early::side& e = before->sides[index(side)];
            if (watch_ != nullptr)
                watch_->begin(of(side), sides_[index(side)].from_start && e.run_begins == 0);
            if (e.bytes.empty()) continue;
            if (dump_ != nullptr) dump_->write(row_.id, of(side), e.bytes);
            watch(of(side), e.run());
        }
    }
    void watch(direction dir, byte_view bytes) {
        if (foreign_ != nullptr) foreign_->on_bytes(dir, bytes);
        if (watch_ == nullptr || bytes.empty()) return;
        watch_->on_bytes(dir, bytes);
        row_.speaks_dcp = watch_->found();
        if (row_.speaks_dcp) watch_.reset();
    }

    const tcp::connection& connection_;
    survey_sink& to_;
    stream_dump* dump_;
    const port_plan& ports_;
    stream_row row_;
    stream_side sides_[2];  // by side
    tcp::position origin_[2] = {0, 0};
    bool flipped_ = false;
    std::unique_ptr<early> early_;
    std::unique_ptr<dcp_watch> watch_;        // until DCP is seen
    std::unique_ptr<foreign_watch> foreign_;  // of what is none of ours and has a name
};

}  // namespace

stream_survey::stream_survey(const options& chosen, survey_sink& to,
                             capture::observation_sink& observations, stream_dump* dump)
    : chosen_(chosen),
      to_(to),
      dump_(dump),
      table_(chosen_.tcp, chosen_.ports.all(), *this, observations) {}

std::unique_ptr<tcp::stream_consumer> stream_survey::open(const tcp::connection& c) {
    return std::make_unique<surveyed_connection>(c, chosen_, to_, dump_);
}

}  // namespace cdcscope::recover
