// The `ss` subcommands, a file each. All return the exit status; they throw ss_failure (ss_files.h)
// where they can not go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/cli/quantities.h"
#include "proto/ss/marker_check.h"

namespace cdcscope::cli {

struct ss_pack_options {
    std::string vector;
    std::string out;
    bool force = false;
};
int ss_pack(const ss_pack_options& o);

struct ss_dump_options {
    std::string file;
    bool payload = false;
};
int ss_dump(const ss_dump_options& o);

struct ss_verify_options {
    std::string file;
    bool json = false;
    ss::marker_rule markers = ss::marker_rule::exact;
};
int ss_verify(const ss_verify_options& o);

enum class cat_format { log, json, raw };
struct ss_cat_options {
    std::string file;
    std::string key;  // empty: all
    std::optional<std::uint64_t> from;
    std::optional<time_bound> since, until;
    cat_format format = cat_format::log;
    bool follow = false;
    bool all = false;  // internal keys, too
};
int ss_cat(const ss_cat_options& o);

struct ss_info_options {
    std::string file;
    bool json = false;
};
int ss_info(const ss_info_options& o);

struct ss_repair_options {
    std::string file;
    std::string out;
    bool force = false;
};
int ss_repair(const ss_repair_options& o);

struct ss_join_options {
    std::vector<std::string> files;
    std::string out;
    bool force = false;
};
int ss_join(const ss_join_options& o);

}  // namespace cdcscope::cli
