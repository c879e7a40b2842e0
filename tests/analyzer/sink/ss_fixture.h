// A folder of its own for each test, and .ss files read back by the reader and the verifier.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "analyzer/sink/ss_file.h"
#include "proto/ss/verifier.h"

namespace cdcscope::sink {

class ss_fixture : public ::testing::Test {
  protected:
    ss_fixture() {
        std::string name = (std::filesystem::temp_directory_path() / "cdcscope-ss-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
    }
    ~ss_fixture() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] std::string path(const std::string& name = "out.ss") const {
        return (folder_ / name).string();
    }

    static std::vector<std::uint8_t> bytes_of(const std::string& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    struct message {
        std::string key;
        std::uint64_t sequence, timestamp_ms;
        std::string payload;
        bool operator==(const message&) const = default;
    };
    struct contents {
        std::string file_name;
        std::uint64_t created_ms = 0;
        std::uint32_t interval = 0;
        std::vector<message> messages;
        std::vector<std::string> problems;
        ss::walk_summary sum;
    };
    // Reads and verifies.
    static contents read(const std::string& file) {
        contents c;
        ss_file_source source;
        EXPECT_TRUE(source.open(file).ok()) << file;
        collector v(c);
        c.sum = ss::verify(source, ss::marker_rule::exact, v);
        return c;
    }

    static record record_of(std::string_view key, std::int64_t ms, std::string_view payload) {
        record r;
        r.key = key;
        r.time_ns = ms * 1'000'000;
        r.payload = as_bytes(payload);
        return r;
    }

    std::filesystem::path folder_;

  private:
    class collector final : public ss::visitor {
      public:
        explicit collector(contents& to) : to_(to) {}
        void on_header(const ss::header& h) override {
            to_.file_name = h.file_name;
            to_.created_ms = h.created_ms;
            to_.interval = h.interval;
        }
        void on_message(ss::reader& at) override {
            if (at.current().eos) return;
            std::vector<std::uint8_t> scratch;
            const byte_view p = at.whole_payload(scratch);
            to_.messages.push_back({std::string(at.current().at.key), at.current().at.sequence,
                                    at.current().at.timestamp_ms, std::string(as_text(p))});
        }
        void on_problem(const ss::problem& p) override { to_.problems.push_back(ss::describe(p)); }

      private:
        contents& to_;
    };
};

}  // namespace cdcscope::sink
