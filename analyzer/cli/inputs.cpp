#include "analyzer/cli/inputs.h"

#include <sys/stat.h>

#include <optional>
#include <set>
#include <utility>

#include "proto/findings/words.h"

namespace cdcscope::cli {
namespace {

using identity = std::pair<dev_t, ino_t>;

std::optional<identity> regular_file(const std::string& name) {
    struct stat info {};
    if (name == "-" || ::stat(name.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
    return identity{info.st_dev, info.st_ino};
}

}  // namespace

std::string is_read(const std::string& output, std::span<const std::string> inputs) {
    const auto written = regular_file(output);
    if (!written) return {};
    for (const std::string& input : inputs) {
        if (regular_file(input) == written)
            return findings::printable(output) + ": is what is read; another name saves it";
    }
    return {};
}

std::string named_twice(std::span<const std::string> inputs) {
    std::set<identity> seen;
    for (const std::string& input : inputs) {
        if (const auto file = regular_file(input); file && !seen.insert(*file).second) return input;
    }
    return {};
}

}  // namespace cdcscope::cli
