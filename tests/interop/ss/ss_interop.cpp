// Files go both ways between our writer and reader and those of the real SeaStreamer crate (R26 to
// R29).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analyzer/sink/ss_file.h"
#include "proto/ss/restore.h"
#include "proto/ss/seek.h"
#include "proto/ss/verifier.h"

namespace cdcscope {
namespace {

namespace fs = std::filesystem;
using bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t start_ms = 1'700'000'000'000;

struct message {
    std::string key;
    std::uint64_t shard = 0, sequence = 0, timestamp_ms = 0;
    std::uint64_t start = 0, size = 0;  // byte i of the payload is start + i
    bool eos = false;

    [[nodiscard]] bytes payload() const {
        if (eos) return {'E', 'O', 'S'};
        bytes made(size);
        for (std::size_t i = 0; i < size; ++i) made[i] = static_cast<std::uint8_t>(start + i);
        return made;
    }
};

struct script {
    std::uint32_t interval = 0;
    std::vector<message> messages;
};

class file_bytes final : public ss::output {
  public:
    [[nodiscard]] bool put(byte_view piece) override {
        made.insert(made.end(), piece.begin(), piece.end());
        return true;
    }
    bytes made;
};

class only_counted final : public ss::output {
  public:
    [[nodiscard]] bool put(byte_view) override { return true; }
};

std::uint64_t fnv1a(byte_view data) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::uint8_t b : data) hash = (hash ^ b) * 0x100000001b3;
    return hash;
}

std::string listing_line(const ss::label& l, byte_view payload) {
    return std::string(l.key) + "\t" + std::to_string(l.shard) + "\t" + std::to_string(l.sequence) +
           "\t" + std::to_string(l.timestamp_ms) + "\t" + std::to_string(payload.size()) + "\t" +
           std::to_string(fnv1a(payload)) + "\n";
}

// Random scripts: every kind of interval, 1 to 400 keys, payloads of up to three intervals.
class random_scripts {
  public:
    explicit random_scripts(std::uint64_t seed) : random_(seed) {}

    script next() {
        script s;
        s.interval = interval();
        const bool large = one_in(50);
        const std::uint64_t most_bytes = large ? 4'000'000 : 60'000;
        const std::uint64_t keys = one_in(3) ? 1 + random_() % 400 : 1 + random_() % 8;
        std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> numbers;
        std::uint64_t time = start_ms;
        only_counted nowhere;
        ss::writer at(s.interval);
        EXPECT_TRUE(at.open({"file.ss", start_ms, s.interval}, nowhere));
        while (at.offset() < most_bytes && s.messages.size() < 2'000) {
            message m;
            m.key = key(random_() % keys);
            m.shard = one_in(20) ? random_() : 0;
            m.sequence = ++numbers[{m.key, m.shard}];
            time += random_() % 3;
            m.timestamp_ms = time;
            m.start = random_() % 256;
            m.size = payload_size(s.interval, most_bytes);
            // The real reader panics on an empty payload at a multiple of 10,240 (docs/ss.md
            // section 12).
            if (m.size == 0 && payload_place(at, m) % 10'240 == 0) m.size = 1;
            EXPECT_TRUE(
                at.write({m.key, m.shard, m.sequence, m.timestamp_ms}, m.payload(), nowhere));
            s.messages.push_back(std::move(m));
            if (one_in(200)) break;
        }
        if (one_in(2)) {
            message end;
            end.eos = true;
            end.key = ss::internal_key;
            end.timestamp_ms = time;
            s.messages.push_back(end);
        }
        return s;
    }

    bool one_in(std::uint64_t n) { return random_() % n == 0; }

  private:
    std::uint32_t interval() {
        constexpr std::uint32_t usual[] = {128,  129,  570,   571,   1024,  1134,    1135,
                                           2048, 4096, 65536, 71634, 71635, 1U << 20};
        if (one_in(2)) return usual[random_() % std::size(usual)];
        return static_cast<std::uint32_t>(one_in(2) ? 128 + random_() % 2000
                                                    : 128 + random_() % 100'000);
    }
    std::string key(std::uint64_t n) {
        constexpr std::string_view allowed =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
        // The same number gives the same key; some are as long as a key can be.
        std::mt19937_64 letters(n);
        std::string made(n % 17 == 3 ? 249 : 1 + n % 30, ' ');
        for (char& c : made) c = allowed[letters() % allowed.size()];
        return made;
    }
    std::uint64_t payload_size(std::uint32_t interval, std::uint64_t most) {
        if (one_in(30)) return 0;
        if (one_in(20)) return std::min<std::uint64_t>(random_() % (3ULL * interval + 1), most);
        return random_() % 300;
    }
    static std::uint64_t payload_place(const ss::writer& at, const message& m) {
        ss::writer copy = at;
        only_counted nowhere;
        EXPECT_TRUE(copy.start({m.key, m.shard, m.sequence, m.timestamp_ms}, 0, 0, nowhere));
        return copy.offset();
    }

    std::mt19937_64 random_;
};

class Interop : public ::testing::Test {
  protected:
    Interop() {
        std::string name = (fs::temp_directory_path() / "cdcscope-interop-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
    }
    ~Interop() override {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }

    [[nodiscard]] std::string path(std::size_t n, const char* what) const {
        return (folder_ / (std::to_string(n) + what)).string();
    }

    static bytes read_file(const std::string& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static std::string read_text(const std::string& file) {
        const bytes all = read_file(file);
        return {all.begin(), all.end()};
    }
    static void write_file(const std::string& file, byte_view data) {
        std::ofstream out(file, std::ios::binary);
        out.write(reinterpret_cast<const char*>(data.data()),
                  static_cast<std::streamsize>(data.size()));
        ASSERT_TRUE(out.flush());
    }

    static void write_script(const std::string& file, const script& s) {
        std::ofstream out(file);
        out << "file\tfile.ss\t" << start_ms << "\t" << s.interval << "\n";
        for (const message& m : s.messages) {
            if (m.eos) {
                out << "eos\t" << m.timestamp_ms << "\n";
                continue;
            }
            out << "message\t" << m.key << "\t" << m.shard << "\t" << m.sequence << "\t"
                << m.timestamp_ms << "\t" << m.start << "\t" << m.size << "\n";
        }
        ASSERT_TRUE(out.flush());
    }

    static bytes our_file(const script& s) {
        file_bytes out;
        ss::writer w(s.interval);
        EXPECT_TRUE(w.open({"file.ss", start_ms, s.interval}, out));
        for (const message& m : s.messages) {
            EXPECT_TRUE(w.write({m.key, m.shard, m.sequence, m.timestamp_ms}, m.payload(), out));
        }
        return std::move(out.made);
    }

    static std::string our_listing(byte_view file) {
        ss::memory_source source(file);
        ss::reader from(source, ss::decode_header(file).value.interval);
        std::string lines;
        bytes scratch;
        for (ss::item i = from.next(); i != ss::item::end; i = from.next()) {
            if (i == ss::item::broken) return lines + ss::describe(from.broken());
            if (i == ss::item::message) {
                lines += listing_line(from.current().at, from.whole_payload(scratch));
            }
        }
        return lines;
    }

    static std::uint64_t problems_of(byte_view file, ss::marker_rule rule) {
        class nothing final : public ss::visitor {
        } nobody;
        ss::memory_source source(file);
        return ss::verify(source, rule, nobody).problems;
    }

    // All jobs in one process; one answer for each.
    std::vector<std::string> ask(const std::vector<std::string>& jobs) {
        const std::string in = (folder_ / "jobs").string();
        const std::string out = (folder_ / "answers").string();
        std::ofstream list(in);
        for (const std::string& job : jobs) list << job << "\n";
        list.close();
        const char* oracle = std::getenv("SS_ORACLE");
        EXPECT_NE(oracle, nullptr) << "SS_ORACLE names the program that the real crate is in";
        const std::string command = std::string(oracle) + " < " + in + " > " + out;
        EXPECT_EQ(std::system(command.c_str()), 0);
        std::vector<std::string> answers;
        std::ifstream answered(out);
        for (std::string line; std::getline(answered, line);) answers.push_back(line);
        EXPECT_EQ(answers.size(), jobs.size());
        answers.resize(jobs.size());
        return answers;
    }

    fs::path folder_;
};

TEST_F(Interop, AThousandRandomFilesAreEqualByteByByteAndMessageByMessage) {
    constexpr std::size_t files = 1'000;
    random_scripts random(20);
    std::vector<std::string> jobs;
    for (std::size_t n = 0; n < files; ++n) {
        const script s = random.next();
        write_script(path(n, ".script"), s);
        write_file(path(n, ".ours"), our_file(s));
        jobs.push_back("write\t" + path(n, ".script") + "\t" + path(n, ".theirs"));
        jobs.push_back("read\t" + path(n, ".ours") + "\t" + path(n, ".list"));
    }
    const auto answers = ask(jobs);
    std::uint64_t messages = 0;
    for (std::size_t n = 0; n < files; ++n) {
        ASSERT_EQ(answers[2 * n], "ok\t") << n;
        ASSERT_EQ(answers[2 * n + 1].substr(0, 3), "ok\t") << n << answers[2 * n + 1];
        const bytes theirs = read_file(path(n, ".theirs"));
        const bytes ours = read_file(path(n, ".ours"));
        ASSERT_TRUE(ours == theirs) << n << ": the files differ";
        EXPECT_TRUE(our_listing(theirs) == read_text(path(n, ".list"))) << n;
        EXPECT_EQ(problems_of(theirs, ss::marker_rule::exact), 0U) << n;
        messages += std::stoull(answers[2 * n + 1].substr(3));
    }
    std::printf("%zu files, %llu messages\n", files, static_cast<unsigned long long>(messages));
    EXPECT_GT(messages, 50'000U);
}

// What the reference does to a file it opens again, when it does not lose data or fail (docs/ss.md
// section 10): no EOS, and the file does not end with a beacon behind its last message.
bool real_producer_can_go_on(byte_view file, std::uint32_t interval) {
    ss::memory_source source(file);
    ss::reader from(source, interval);
    std::uint64_t messages = 0;
    bool last_is_beacon = false;
    for (ss::item i = from.next(); i != ss::item::end; i = from.next()) {
        if (i == ss::item::broken || from.eos_seen()) return false;
        last_is_beacon = i == ss::item::beacon;
        messages += i == ss::item::message;
    }
    return messages > 0 && !last_is_beacon;
}

TEST_F(Interop, FilesAreContinuedByOneAndThenByTheOther) {
    constexpr std::size_t files = 120;
    random_scripts random(21);
    std::vector<script> scripts, more;
    std::vector<std::string> jobs;
    std::vector<std::size_t> used;
    const auto without_eos = [](script s) {
        if (!s.messages.empty() && s.messages.back().eos) s.messages.pop_back();
        for (message& m : s.messages) m.shard = 0;
        std::map<std::string, std::uint64_t> numbers;
        for (message& m : s.messages) {
            m.sequence = ++numbers[m.key];
            m.size = std::max<std::uint64_t>(m.size, 1);
        }
        return s;
    };
    for (std::size_t n = 0; n < files; ++n) {
        scripts.push_back(without_eos(random.next()));
        more.push_back(without_eos(random.next()));
        more.back().messages.resize(std::min<std::size_t>(more.back().messages.size(), 30));
        const bytes ours = our_file(scripts.back());
        if (!real_producer_can_go_on(ours, scripts.back().interval)) continue;
        used.push_back(n);
        write_file(path(n, ".ss"), ours);
        write_script(path(n, ".more"), more.back());
        jobs.push_back("produce\t" + path(n, ".more") + "\t" + path(n, ".ss"));
    }
    ASSERT_GT(used.size(), files / 2);
    const auto produced = ask(jobs);
    jobs.clear();
    std::vector<std::size_t> continued;
    for (std::size_t i = 0; i < used.size(); ++i) {
        const std::size_t n = used[i];
        if (produced[i] != "ok\t") {
            // It looks for the last message of a key that is new to it, and fails where it then
            // finds a beacon at the end.
            EXPECT_FALSE(real_producer_can_go_on(read_file(path(n, ".ss")), scripts[n].interval))
                << n << " " << produced[i];
            continue;
        }
        continued.push_back(n);
        // Ours goes on behind theirs, through the sink that extract uses.
        sink::ss_file_options o;
        o.path = path(n, ".ss");
        o.append = true;
        sink::ss_file_sink sink;
        ASSERT_EQ(sink.open(o).error, "") << n;
        for (const message& m : scripts[n].messages) {
            const bytes payload = m.payload();
            sink::record r;
            r.key = m.key;
            r.time_ns = static_cast<std::int64_t>(m.timestamp_ms) * 1'000'000;
            r.payload = payload;
            ASSERT_EQ(sink.write(r).error, "") << n;
        }
        ASSERT_EQ(sink.finish(true).error, "") << n;
        jobs.push_back("read\t" + path(n, ".ss") + "\t" + path(n, ".list"));
    }
    ASSERT_GT(continued.size(), files / 2);
    const auto read = ask(jobs);
    for (std::size_t i = 0; i < continued.size(); ++i) {
        const std::size_t n = continued[i];
        ASSERT_EQ(read[i].substr(0, 3), "ok\t") << n << read[i];
        const bytes file = read_file(path(n, ".ss"));
        EXPECT_TRUE(our_listing(file) == read_text(path(n, ".list"))) << n;
        EXPECT_EQ(problems_of(file, ss::marker_rule::known), 0U) << n;
        // Every message is there, in order, with the next number of its key.
        std::vector<const message*> want;
        for (const script* s : {&scripts[n], &more[n], &scripts[n]}) {
            for (const message& m : s->messages) want.push_back(&m);
        }
        std::map<std::string, std::uint64_t> numbers;
        ss::memory_source source(file);
        ss::reader from(source, scripts[n].interval);
        std::size_t k = 0;
        bytes scratch;
        for (ss::item it = from.next(); it != ss::item::end; it = from.next()) {
            ASSERT_NE(it, ss::item::broken) << n;
            if (it != ss::item::message || from.current().eos) continue;
            ASSERT_LT(k, want.size()) << n;
            EXPECT_EQ(from.current().at.key, want[k]->key);
            EXPECT_EQ(from.current().at.sequence, ++numbers[want[k]->key]);
            const bytes payload = want[k]->payload();
            EXPECT_TRUE(std::ranges::equal(from.whole_payload(scratch), payload)) << n << " " << k;
            ++k;
        }
        EXPECT_EQ(k, want.size()) << n;
    }
    std::printf("%zu files\n", continued.size());
}

TEST_F(Interop, RealSeeksNeverLandBehindTheMessageWanted) {
    random_scripts random(22);
    std::vector<std::string> jobs;
    std::vector<std::uint64_t> ours;
    for (std::size_t n = 0; jobs.size() < 500; ++n) {
        script s = random.next();
        if (s.interval < ss::first_indexed_interval || s.messages.size() < 20) continue;
        for (message& m : s.messages) m.shard = 0;
        std::map<std::string, std::uint64_t> numbers;
        for (message& m : s.messages) {
            if (!m.eos) m.sequence = ++numbers[m.key];
        }
        const bytes file = our_file(s);
        write_file(path(n, ".ss"), file);
        ss::memory_source source(file);
        for (std::size_t k = 5; k < s.messages.size(); k += s.messages.size() / 5) {
            const message& m = s.messages[k];
            if (m.eos) continue;
            const auto found =
                ss::seek(source, s.interval, {m.key, 0, ss::seek_target::by::sequence, m.sequence});
            ASSERT_TRUE(found);
            ss::reader at(source, s.interval, *found);
            ASSERT_EQ(at.next(), ss::item::message);
            EXPECT_EQ(at.current().at.sequence, m.sequence);
            ours.push_back(at.current().end);
            jobs.push_back("seek\t" + path(n, ".ss") + "\t" + m.key + "\t" +
                           std::to_string(m.sequence));
        }
    }
    const auto answers = ask(jobs);
    std::size_t compared = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        // Empty payloads and beacons at the end of a file make the real search panic (docs/ss.md
        // sections 11 and 12).
        if (answers[i] == "error\tpanic") continue;
        ASSERT_EQ(answers[i].substr(0, 3), "ok\t") << jobs[i] << " " << answers[i];
        EXPECT_LE(std::stoull(answers[i].substr(3)), ours[i]) << jobs[i];
        ++compared;
    }
    std::printf("%zu seeks\n", compared);
    EXPECT_GT(compared, 300U);
}

}  // namespace
}  // namespace cdcscope
