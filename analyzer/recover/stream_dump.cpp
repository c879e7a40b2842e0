#include "analyzer/recover/stream_dump.h"

#include <fmt/format.h>

#include <cerrno>

#include "analyzer/capture/file_errors.h"

namespace cdcscope::recover {
namespace {

// What to do about errno when a file can not be made or written.
std::string_view advice(int error) {
    switch (error) {
        case EEXIST:
            return "give --force to replace it";
        case EMFILE:
        case ENFILE:
            return "ulimit -n NUMBER allows more open files";
        case ENOSPC:
        case EDQUOT:
            return "make room or choose another folder";
        default:
            return "choose another folder";
    }
}

}  // namespace

stream_dump::stream_dump(std::string directory, bool replace)
    : directory_(std::move(directory)), replace_(replace) {}

std::string stream_dump::file_name(std::uint32_t connection, direction dir) {
    return fmt::format("c{:04}.{}.bin", connection, name(dir));
}

void stream_dump::write(std::uint32_t connection, direction dir, byte_view bytes) {
    if (!error_.empty()) return;
    std::FILE* file = open(connection, dir);
    if (file == nullptr || bytes.empty()) return;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) {
        fail(directory_ + "/" + file_name(connection, dir), "cannot write");
    }
}

std::FILE* stream_dump::open(std::uint32_t connection, direction dir) {
    const std::uint64_t key = std::uint64_t{connection} << 1 | index(dir);
    const auto [known, is_new] = made_.try_emplace(key, open_.end());
    if (known->second != open_.end()) {
        open_.splice(open_.end(), open_, known->second);
        return known->second->file.get();
    }
    if (open_.size() >= most_open) close_oldest();
    const std::string path = directory_ + "/" + file_name(connection, dir);
    const char* how = !is_new ? "ab" : replace_ ? "wb" : "wbx";
    std::unique_ptr<std::FILE, closer> file(std::fopen(path.c_str(), how));
    if (file == nullptr) {
        fail(path, "cannot create");
        return nullptr;
    }
    open_.push_back({key, std::move(file)});
    known->second = std::prev(open_.end());
    return open_.back().file.get();
}

void stream_dump::close_oldest() {
    open_file& oldest = open_.front();
    made_[oldest.key] = open_.end();
    const auto connection = static_cast<std::uint32_t>(oldest.key >> 1);
    const direction dir = (oldest.key & 1) != 0 ? direction::s2c : direction::c2s;
    if (std::fclose(oldest.file.release()) != 0) {
        fail(directory_ + "/" + file_name(connection, dir), "cannot write");
    }
    open_.pop_front();
}

const std::string& stream_dump::finish() {
    while (!open_.empty()) close_oldest();
    return error_;
}

void stream_dump::fail(const std::string& path, std::string_view what) {
    const int error = errno;
    if (error_.empty())
        error_ =
            fmt::format("{}: {}: {}; {}", path, what, capture::system_reason(error), advice(error));
}

}  // namespace cdcscope::recover
