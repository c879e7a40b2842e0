#include "analyzer/report/text_details.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/format.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

constexpr std::size_t most_connections = 50, most_lines = 50;
constexpr std::size_t label_width = 24;

class details_page {
  public:
    details_page(const model& m, std::size_t width) : m_(m), width_(width) {}

    std::string make() {
        std::vector<const connection*> chosen;
        for (const auto& c : m_.connections) {
            if (messages_of(c) > 0 || !c.first_bytes.empty()) chosen.push_back(&c);
        }
        const auto all = chosen.size();
        if (all > most_connections) {
            std::stable_sort(chosen.begin(), chosen.end(),
                             [](auto* a, auto* b) { return a->fared > b->fared; });
            chosen.resize(most_connections);
        }
        for (const auto* c : chosen) details_of(*c);
        if (all > chosen.size())
            out_ += fmt::format("\n  and {} more connections in the JSON\n", all - chosen.size());
        return std::move(out_);
    }

  private:
    void pair(std::string_view label, std::string_view text) {
        wrap(out_, fmt::format("    {} ", pad_right(printable(label), label_width - 1)), text,
             width_ < 80 ? 8 : label_width + 4, width_);
    }

    // The rows of a table that belong to the connection, a line each.
    template <typename Rows, typename Words>
    void list(const Rows& rows, std::uint32_t id, Words words) {
        std::uint64_t shown = 0, all = 0;
        for (const auto& row : rows) {
            if (row.connection != id) continue;
            if (all++ >= most_lines) continue;
            ++shown;
            words(row);
        }
        if (shown < all) out_ += fmt::format("    and {} more in the JSON\n", number(all - shown));
    }

    void details_of(const connection& c) {
        out_ += '\n';
        wrap(out_, fmt::format("{:>4}  ", fmt::format("c{}", c.id)),
             fmt::format("{} · {}", display_name(c), role_and_target(c)), 6, width_);
        for (const auto& f : facts_of(m_, c)) pair(f.label, f.value);
        if (const auto types = type_list(c); !types.empty()) pair("Messages", types);
        list(m_.streams, c.id, [&](const stream_row& s) {
            const auto name = s.stream_id
                                  ? fmt::format("Stream vb {}, sid {}", s.partition, *s.stream_id)
                                  : fmt::format("Stream vb {}", s.partition);
            const auto more = stream_words(s);
            pair(name, more.empty() ? state_words(s) : fmt::format("{}; {}", state_words(s), more));
        });
        list(m_.writes, c.id, [&](const durable_write& w) {
            auto text = fmt::format("seqno {}, {}: {}, {}, replica ack {}", number(w.prepare_seqno),
                                    w.level, outcome_words(w), latency_words(w), replica_words(w));
            if (!w.application.empty()) text += "; the application: " + w.application;
            pair("Prepare " + w.key, text);
        });
        list(m_.operations, c.id, [&](const operation& o) {
            auto text = fmt::format("{} at {}: {}", request_words(o),
                                    time_words(m_, o.sent.time_ns), answer_words(o));
            if (!o.answer_unseen) text += " after " + waited_words(o);
            pair("Request " + o.key, text);
        });
        list(m_.batches, c.id,
             [&](const batch_row& b) { pair(fmt::format("Batch {}", b.batch), batch_words(b)); });
        for (const auto& s : c.items) pair("Item", item_words(s));
        for (const auto& s : c.rows) pair("Row", row_words(s));
    }

    const model& m_;
    std::size_t width_;
    std::string out_;
};

}  // namespace

std::string details_text(const model& m, std::size_t width) {
    return details_page(m, width).make();
}

}  // namespace cdcscope::report
