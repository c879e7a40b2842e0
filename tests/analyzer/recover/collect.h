// Keeps what the recovery hands on, for tests.
#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyzer/capture/reader.h"
#include "analyzer/recover/recovery.h"

namespace cdcscope::recover::testing {

struct kept_message {
    message m;  // without its bytes
    std::string bytes;
};

struct kept_direction {
    std::vector<kept_message> messages;
    std::vector<gap> gaps;
    std::vector<unparsed_run> unparsed;
    std::vector<std::string> heads;
    direction_totals totals;
    bool ended = false;

    // Whole ones, one after the other.
    [[nodiscard]] std::string joined() const {
        std::string all;
        for (const kept_message& k : messages) {
            if (!k.m.cut) all += k.bytes;
        }
        return all;
    }
    [[nodiscard]] std::size_t whole() const {
        std::size_t n = 0;
        for (const kept_message& k : messages) n += k.m.cut ? 0 : 1;
        return n;
    }
};

struct kept_connection {
    connection_info info;
    kept_direction dirs[2];
    std::vector<std::string> order;    // "c2s message 24", "s2c gap 100" ...: kind and offset
    std::vector<std::string> missing;  // "s2c 100 before 7": of `order`
    std::vector<bool> behind;
    bool closed = false;
    end_kind how = end_kind::end_of_capture;
};

class collector final : public handler, public capture::observation_sink {
  public:
    std::map<std::uint32_t, kept_connection> connections;
    std::map<std::string, int, std::less<>> warnings;
    std::vector<std::string> texts;
    bool keep_bytes = true;

    void on_connection(const connection_info& c) override {
        if (connections.contains(c.id)) throw std::logic_error("announced twice");
        connections[c.id].info = c;
    }
    void on_protocol(const connection_info& c) override { known(c.id).info = c; }
    void on_message(const message& m) override {
        if (!m.cut && m.bytes.size() != m.wire_length) throw std::logic_error("not whole");
        kept_direction& d = place(m.connection, m.dir, "message", m.offset);
        kept_message& k = d.messages.emplace_back();
        k.m = m;
        k.m.bytes = {};
        if (keep_bytes) k.bytes = as_text(m.bytes);
    }
    void on_gap(const gap& g) override {
        place(g.connection, g.dir, "gap", g.offset).gaps.push_back(g);
    }
    void on_unparsed(const unparsed_run& u) override {
        kept_direction& d = place(u.connection, u.dir, "unparsed", u.offset);
        d.unparsed.push_back(u);
        d.unparsed.back().head = {};
        d.heads.emplace_back(as_text(u.head));
    }
    void on_missing(std::uint32_t id, direction dir, std::uint64_t offset) override {
        kept_connection& c = known(id);
        c.missing.push_back(std::string(name(dir)) + " " + std::to_string(offset) + " before " +
                            std::to_string(c.order.size()));
    }
    void on_behind(std::uint32_t id, bool behind) override { known(id).behind.push_back(behind); }
    void on_end(std::uint32_t id, direction dir, end_kind, const frame_ref&) override {
        place(id, dir, "end", 0).ended = true;
    }
    void on_totals(std::uint32_t id, const direction_totals& c2s,
                   const direction_totals& s2c) override {
        known(id).dirs[0].totals = c2s;
        known(id).dirs[1].totals = s2c;
    }
    void on_closed(std::uint32_t id, end_kind how, const frame_ref&) override {
        kept_connection& c = known(id);
        if (c.closed) throw std::logic_error("closed twice");
        c.closed = true;
        c.how = how;
        for (const kept_direction& d : c.dirs) check_accounts(d);
    }
    void on_observation(const capture::observation& o) override {
        ++warnings[std::string(findings::entry_of(o.code).text)];
        if (!o.text.empty()) texts.push_back(o.text);
    }
    [[nodiscard]] int count(std::string_view code) const {
        const auto found = warnings.find(code);
        return found == warnings.end() ? 0 : found->second;
    }

  private:
    kept_connection& known(std::uint32_t id) {
        const auto found = connections.find(id);
        if (found == connections.end()) throw std::logic_error("not announced");
        if (found->second.closed) throw std::logic_error("closed before");
        return found->second;
    }
    kept_direction& place(std::uint32_t id, direction dir, std::string_view kind,
                          std::uint64_t offset) {
        kept_connection& c = known(id);
        c.order.push_back(std::string(name(dir)) + " " + std::string(kind) + " " +
                          std::to_string(offset));
        return c.dirs[index(dir)];
    }
    // Every byte ends in exactly one of a message, a gap, an unparsed run.
    static void check_accounts(const kept_direction& d) {
        const direction_totals& t = d.totals;
        if (t.message_bytes + t.gap_bytes + t.unparsed_bytes != t.stream_bytes) {
            throw std::logic_error("bytes do not add up");
        }
        std::uint64_t messages = 0, gaps = 0, unparsed = 0;
        for (const kept_message& k : d.messages) messages += k.m.captured;
        for (const gap& g : d.gaps) gaps += g.length;
        for (const unparsed_run& u : d.unparsed) unparsed += u.length;
        if (messages != t.message_bytes || gaps != t.gap_bytes || unparsed != t.unparsed_bytes ||
            d.gaps.size() != t.gaps || d.unparsed.size() != t.unparsed || d.whole() != t.messages ||
            d.messages.size() != t.messages + t.cut_messages) {
            throw std::logic_error("totals are not the sum of what was handed over");
        }
    }
};

inline void recover_file(const std::string& path, collector& to, const options& chosen = {}) {
    recovery all(chosen, to, to);
    capture::reader files({&all, &to, &all}, {});
    if (const std::string error = files.open({path}); !error.empty()) {
        throw std::runtime_error(error);
    }
    for (;;) {
        const capture::step s = files.next();
        if (s == capture::step::done) break;
        if (s == capture::step::failed) throw std::runtime_error(files.error());
    }
    all.finish();
}

}  // namespace cdcscope::recover::testing
