// Random conversations, cut, shuffled, repeated and overlapped at random, with sequence numbers
// that wrap: whatever is whole in the capture comes out, in causal order, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/analyzer/recover/talk.h"

namespace cdcscope::recover::testing {
namespace {

using random_source = std::mt19937_64;

std::size_t upto(random_source& r, std::size_t most) {
    return static_cast<std::size_t>(r() % (most + 1));
}

struct sent_message {
    direction dir;
    std::uint64_t begin, end;
    std::string bytes;
};
struct burst {
    direction dir;
    std::uint64_t begin, end;
    std::uint64_t acknowledges;
};
struct conversation {
    bool canal = false;
    bool decoys = false;
    std::string streams[2];
    std::vector<sent_message> messages;  // in the order in which they were sent
    std::vector<burst> bursts;
};

std::string text(random_source& r, std::size_t size) {
    std::string out;
    while (out.size() < size) out += static_cast<char>('a' + r() % 26);
    return out;
}

// `decoys`: documents and rows may hold what looks like messages.
std::string next_message(random_source& r, bool canal, direction dir, int number, bool decoys) {
    const std::size_t size = r() % 8 == 0 ? upto(r, 3000) : upto(r, 120);
    if (canal) {
        if (dir == direction::c2s) return canal_get();
        if (number == 0) return canal_handshake();
        if (r() % 4 == 0) return canal_ack();
        std::string row = text(r, size);
        if (decoys && r() % 5 == 0) row += canal_ack() + canal_ack() + text(r, 7);
        return canal_batch(static_cast<std::uint64_t>(number), row);
    }
    if (dir == direction::c2s) return r() % 2 == 0 ? buffer_ack(9) : noop_answer(7);
    if (r() % 6 == 0) return noop(static_cast<std::uint32_t>(number));
    std::string value = text(r, size);
    if (decoys && r() % 5 == 0) value += noop(1).substr(0, upto(r, 24)) + "\x80\x57" + text(r, 30);
    return mutation(static_cast<std::uint64_t>(number), value);
}

conversation converse(random_source& r) {
    conversation c;
    c.canal = r() % 2 == 0;
    c.decoys = r() % 2 == 0;
    direction dir = direction::s2c;
    const std::size_t turns = 2 + upto(r, 8);
    int number = 0;
    for (std::size_t turn = 0; turn < turns; ++turn, dir = opposite(dir)) {
        std::string& mine = c.streams[index(dir)];
        burst b{dir, mine.size(), 0, c.streams[index(opposite(dir))].size()};
        for (std::size_t n = 1 + upto(r, dir == direction::s2c ? 6 : 1); n > 0; --n) {
            const std::string bytes = next_message(r, c.canal, dir, number++, c.decoys);
            c.messages.push_back({dir, mine.size(), mine.size() + bytes.size(), bytes});
            mine += bytes;
        }
        b.end = mine.size();
        c.bursts.push_back(b);
    }
    return c;
}

struct piece {
    direction dir;
    std::uint64_t begin, end;
    std::uint64_t acknowledges;
};

// Segments of the bursts, with overlaps inside a burst and copies.
std::vector<piece> cut(random_source& r, const conversation& c, bool repeats) {
    std::vector<piece> pieces;
    for (const burst& b : c.bursts) {
        // A hole exactly behind a packet inside a row cannot be told from one behind a packet: no
        // tiny pieces with decoys.
        const std::size_t most = c.decoys ? 1448 : r() % 4 == 0 ? 12 : r() % 2 == 0 ? 90 : 1448;
        for (std::uint64_t at = b.begin; at < b.end;) {
            const std::uint64_t size = std::min<std::uint64_t>(1 + upto(r, most), b.end - at);
            const std::uint64_t back =
                repeats && r() % 6 == 0 ? std::min<std::uint64_t>(upto(r, 50), at - b.begin) : 0;
            pieces.push_back({b.dir, at - back, at + size, b.acknowledges});
            if (repeats && r() % 10 == 0) pieces.push_back(pieces.back());
            at += size;
        }
    }
    return pieces;
}

// Each piece comes up to `window` places late.
void shuffle_within(random_source& r, std::vector<piece>& pieces, std::size_t window) {
    std::vector<std::pair<std::size_t, piece>> keyed;
    for (std::size_t i = 0; i < pieces.size(); ++i)
        keyed.emplace_back(i + upto(r, window), pieces[i]);
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = keyed[i].second;
}

// The pieces of one direction come `places` late.
void lag(std::vector<piece>& pieces, direction dir, std::size_t places) {
    std::vector<std::pair<std::size_t, piece>> keyed;
    for (std::size_t i = 0; i < pieces.size(); ++i)
        keyed.emplace_back(i + (pieces[i].dir == dir ? places : 0), pieces[i]);
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = keyed[i].second;
}

// A single byte at the start might be a keep-alive: it is not taken for a beginning.
void drop_lone_start(std::vector<piece>& pieces, direction dir) {
    for (;;) {
        const auto first =
            std::ranges::find_if(pieces, [&](const piece& p) { return p.dir == dir; });
        if (first == pieces.end() || first->end - first->begin > 1) return;
        pieces.erase(first);
    }
}

void play(talk& t, const conversation& c, const std::vector<piece>& pieces) {
    for (const piece& p : pieces) {
        t.put(t.segment(p.dir, p.begin,
                        std::string_view(c.streams[index(p.dir)]).substr(p.begin, p.end - p.begin),
                        p.acknowledges));
    }
}

class any_talk : public talk {
  public:
    any_talk(random_source& r, const conversation& c) {
        server.port = c.canal ? 11111 : 11210;
        for (std::uint32_t& number : initial) {
            number = r() % 2 == 0 ? static_cast<std::uint32_t>(r())
                                  : 0xffffffffU - static_cast<std::uint32_t>(upto(r, 2000));
        }
    }
};

TEST(AnyConversation, IsRecoveredExactlyAndInCausalOrder) {
    random_source r(20240601);
    for (int round = 0; round < 10'000; ++round) {
        const conversation c = converse(r);
        std::vector<piece> pieces = cut(r, c, true);
        shuffle_within(r, pieces, r() % 2 == 0 ? 4 : 40);
        any_talk t(r, c);
        t.handshake();
        play(t, c, pieces);
        const kept_connection& have = t.finish();
        for (const direction dir : {direction::c2s, direction::s2c}) {
            ASSERT_EQ(have.dirs[index(dir)].joined(), c.streams[index(dir)]) << "round " << round;
            ASSERT_EQ(have.dirs[index(dir)].totals.gaps, 0U);
            ASSERT_EQ(have.dirs[index(dir)].totals.unparsed, 0U);
        }
        std::vector<std::string> sent;
        for (const sent_message& m : c.messages) {
            sent.push_back(std::string(name(m.dir)) + " message " + std::to_string(m.begin));
        }
        ASSERT_EQ(have.order, sent) << "round " << round;
    }
}

// Which bytes no segment brought.
std::vector<bool> missing(const conversation& c, direction dir, const std::vector<piece>& kept) {
    std::vector<bool> lost(c.streams[index(dir)].size(), true);
    for (const piece& p : kept) {
        if (p.dir != dir) continue;
        std::fill(lost.begin() + static_cast<std::ptrdiff_t>(p.begin),
                  lost.begin() + static_cast<std::ptrdiff_t>(p.end), false);
    }
    return lost;
}

void check_damaged(const conversation& c, direction dir, const std::vector<bool>& lost,
                   bool mid_stream, const kept_direction& have) {
    const auto first = std::find(lost.begin(), lost.end(), false);
    const std::uint64_t origin =
        mid_stream ? static_cast<std::uint64_t>(first - lost.begin()) : std::uint64_t{0};
    std::size_t recoverable = 0, holes = 0, recovered = 0;
    for (std::size_t i = origin; i < lost.size(); ++i) {
        holes += lost[i] && (i == origin || !lost[i - 1]) ? 1U : 0U;
    }
    auto next = have.messages.begin();
    for (const sent_message& m : c.messages) {
        if (m.dir != dir || m.begin < origin) continue;
        const bool whole = std::find(lost.begin() + static_cast<std::ptrdiff_t>(m.begin),
                                     lost.begin() + static_cast<std::ptrdiff_t>(m.end),
                                     true) == lost.begin() + static_cast<std::ptrdiff_t>(m.end);
        recoverable += whole ? 1U : 0U;
        if (next == have.messages.end() || next->m.offset + origin != m.begin) continue;
        if (next->m.cut) {
            ASSERT_FALSE(whole);
            ASSERT_EQ(next->m.wire_length, m.bytes.size());
            ASSERT_EQ(next->bytes, m.bytes.substr(0, next->bytes.size()));
        } else {
            ASSERT_EQ(next->bytes, m.bytes);
            ++recovered;
        }
        ++next;
    }
    ASSERT_EQ(next, have.messages.end()) << "something appeared that was not sent";
    ASSERT_LE(recoverable - recovered, 2 * holes + (mid_stream ? 2 : 0));
}

TEST(AnyConversation, WithLossLosesAtMostTwoMoreMessagesAHoleAndInventsNone) {
    random_source r(20240602);
    for (int round = 0; round < 10'000; ++round) {
        const conversation c = converse(r);
        std::vector<piece> pieces = cut(r, c, round % 2 == 0);
        const bool mid_stream = r() % 4 == 0;
        const std::size_t one_in = 3 + upto(r, 30);
        std::erase_if(pieces, [&](const piece&) { return r() % one_in == 0; });
        if (mid_stream) {
            pieces.erase(pieces.begin(),
                         pieces.begin() + static_cast<std::ptrdiff_t>(upto(r, pieces.size() / 2)));
        }
        shuffle_within(r, pieces, r() % 2 == 0 ? 1 : 6);
        any_talk t(r, c);
        if (!mid_stream) t.handshake();
        play(t, c, pieces);
        if (t.frame == 0) continue;
        const kept_connection& have = t.finish();
        for (const direction dir : {direction::c2s, direction::s2c}) {
            SCOPED_TRACE("round " + std::to_string(round) + " " + std::string(name(dir)));
            check_damaged(c, dir, missing(c, dir, pieces), mid_stream, have.dirs[index(dir)]);
            if (HasFatalFailure()) return;
        }
    }
}

// A capture that begins in the middle of a conversation, with the queue of one direction behind
// that of the other: while it is still being found out where a stream and its first message begin,
// no answer may overtake what it answers.
TEST(AnyConversation, ThatIsCapturedFromItsMiddleComesInCausalOrder) {
    random_source r(20240603);
    std::size_t messages = 0;
    for (int round = 0; round < 10'000; ++round) {
        const conversation c = converse(r);
        std::vector<piece> pieces = cut(r, c, false);
        pieces.erase(pieces.begin(),
                     pieces.begin() + static_cast<std::ptrdiff_t>(upto(r, pieces.size() / 2)));
        if (round % 3 == 0) {
            const std::size_t one_in = 3 + upto(r, 30);
            std::erase_if(pieces, [&](const piece&) { return r() % one_in == 0; });
        }
        lag(pieces, r() % 2 == 0 ? direction::c2s : direction::s2c, upto(r, 10));
        for (const direction dir : {direction::c2s, direction::s2c}) drop_lone_start(pieces, dir);
        any_talk t(r, c);
        play(t, c, pieces);
        if (t.frame == 0) continue;
        const kept_connection& have = t.finish();
        std::uint64_t origin[2] = {~0ULL, ~0ULL};
        for (const piece& p : pieces) {
            origin[index(p.dir)] = std::min(origin[index(p.dir)], p.begin);
        }
        std::vector<std::string> sent;
        for (const sent_message& m : c.messages) {
            const std::uint64_t begin = origin[index(m.dir)];
            if (m.begin < begin) continue;
            const std::string line =
                std::string(name(m.dir)) + " message " + std::to_string(m.begin - begin);
            if (std::ranges::find(have.order, line) != have.order.end()) sent.push_back(line);
        }
        std::vector<std::string> got = have.order;
        std::erase_if(
            got, [](const std::string& line) { return line.find("message") == std::string::npos; });
        ASSERT_EQ(got, sent) << "round " << round;
        messages += got.size();
    }
    EXPECT_GT(messages, 50'000U);
}

}  // namespace
}  // namespace cdcscope::recover::testing
