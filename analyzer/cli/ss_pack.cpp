// `ss pack`: a file from lines, every field as given (R26).
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iostream>
#include <optional>

#include "analyzer/cli/command.h"
#include "analyzer/cli/inputs.h"
#include "analyzer/cli/ss_commands.h"
#include "analyzer/cli/ss_files.h"
#include "analyzer/cli/ss_vector.h"
#include "proto/ss/writer.h"

namespace cdcscope::cli {
namespace {

class packer {
  public:
    packer(const ss_pack_options& o) : options_(o), to_(file_) {}

    void run(std::istream& in) {
        std::string text;
        while (std::getline(in, text)) {
            ++line_number_;
            if (text.empty()) continue;
            if (const std::string wrong = read_vector_line(text, line_); !wrong.empty())
                fail(wrong);
            take();
        }
        if (in.bad()) throw ss_failure{options_.vector + ": cannot read"};
        constexpr auto no_header =
            "no header line; the first line gives file_name and beacon_interval";
        if (line_number_ == 0) throw ss_failure{options_.vector + ": is empty: " + no_header};
        if (!writer_) fail(no_header);
        write_held_eos();
        must(file_.commit());
    }

  private:
    void take() {
        switch (line_.type) {
            case vector_type::header:
                return open();
            case vector_type::message:
                return message();
            case vector_type::eos:
                return eos();
            // Whoever opens a file again takes its end off.
            case vector_type::reopen:
                return eos_ms_.reset();
            case vector_type::beacon:
            case vector_type::summary:
                return;
        }
    }

    void open() {
        if (writer_) fail("a second header");
        if (line_.interval < ss::min_interval || line_.interval > 0xffffffffULL) {
            fail(fmt::format("beacon_interval {}: 128 to 4294967295 is possible", line_.interval));
        }
        const ss::header h{line_.file_name, line_.created_ms,
                           static_cast<std::uint32_t>(line_.interval)};
        if (!ss::encode(h)) {
            fail(
                fmt::format("file_name of {} bytes or created_at_ms {} does not fit the header "
                            "(111 bytes, the year 9999)",
                            line_.file_name.size(), line_.created_ms));
        }
        must(file_.open(options_.out, options_.force ? sink::output_file::existing::replace
                                                     : sink::output_file::existing::refuse));
        file_.keep_nothing();
        writer_.emplace(h.interval);
        done(writer_->open(h, to_));
    }

    void message() {
        check_time();
        if (!ss::is_valid_key(line_.key)) {
            fail(fmt::format("key \"{}\": 249 bytes at most, of A-Z a-z 0-9 . _ -", line_.key));
        }
        if (!ss::fits_frame(line_.key.size(), line_.payload.size())) {
            fail("payload does not fit 32 bits");
        }
        write_held_eos();
        done(writer_->write({line_.key, line_.shard, line_.sequence, line_.timestamp_ms},
                            line_.payload, to_));
    }

    void eos() {
        check_time();
        write_held_eos();
        eos_ms_ = line_.timestamp_ms;
    }

    void check_time() {
        if (!writer_) fail("comes before the header line");
        if (line_.timestamp_ms > ss::max_timestamp_ms) {
            fail(fmt::format("ts_ms {} is after the year 9999", line_.timestamp_ms));
        }
    }

    void write_held_eos() {
        if (eos_ms_) done(writer_->write_eos(*eos_ms_, to_));
        eos_ms_.reset();
    }

    void done(bool well) {
        if (!well) must(to_.outcome());
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw ss_failure{fmt::format("{}: line {}: {}", options_.vector, line_number_, what)};
    }

    const ss_pack_options& options_;
    sink::output_file file_;
    sink::ss_file_output to_;
    std::optional<ss::writer> writer_;
    std::optional<std::uint64_t> eos_ms_;  // an EOS that waits for whether the file is opened again
    vector_line line_;
    std::uint64_t line_number_ = 0;
};

}  // namespace

int ss_pack(const ss_pack_options& o) {
    if (std::string why = is_read(o.out, std::array{o.vector}); !why.empty()) throw ss_failure{why};
    packer p(o);
    if (o.vector == "-") {
        p.run(std::cin);
        return exit_status::done;
    }
    std::ifstream in(o.vector, std::ios::binary);
    if (!in) throw ss_failure{o.vector + ": cannot open; give a file of JSON lines, or -"};
    p.run(in);
    return exit_status::done;
}

}  // namespace cdcscope::cli
