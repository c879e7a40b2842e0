#include "analyzer/sink/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "proto/findings/words.h"

namespace cdcscope::sink {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;

// The reason as people know it, and what to do about it.
std::string advice(int error, std::string_view option) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return fmt::format("; make room, or {} NAME writes elsewhere", option);
        case EACCES:
        case EPERM:
        case EROFS:
            return fmt::format("; {} NAME writes elsewhere", option);
        case ENOENT:
            return fmt::format("; make the folder first, or {} NAME writes elsewhere", option);
        default:
            return "";
    }
}

std::string reason(int error) {
    std::string text = std::system_category().message(error);
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
        text[0] = static_cast<char>(text[0] + 32);
    return text;
}

}  // namespace

struct output_file::state {
    std::string path, option;
    std::string part;  // empty: written in place
    int fd = -1;
    int replaced = -1;  // the file that will be replaced, locked meanwhile
    bool device = false;
    bool standard_output = false;
    bool reader_gone = false;
    bool committed = false;
    std::uint64_t flushed = 0;
    std::vector<std::uint8_t> buffer;
    std::string failure;

    ~state() {
        if (fd >= 0 && !part.empty() && !committed) {
            struct stat info {};
            if (fstat(fd, &info) == 0 && info.st_size == 0) ::unlink(part.c_str());
        }
        release();
    }

    void release() {
        if (!standard_output && fd >= 0) ::close(fd);
        if (replaced >= 0) ::close(replaced);
        fd = replaced = -1;
    }

    // Opens and locks. A file that got another name while we waited for the lock is not the one
    // meant.
    status open_locked(const std::string& name, int flags, int& opened) {
        for (;;) {
            opened = ::open(name.c_str(), flags | O_CLOEXEC, 0666);
            if (opened < 0) return fail(errno);
            if (::flock(opened, LOCK_EX | LOCK_NB) != 0) {
                ::close(opened);
                opened = -1;
                return {fmt::format(
                    "{}: another process is writing it; wait for it, or {} NAME writes elsewhere",
                    name, option)};
            }
            struct stat mine {};
            struct stat named {};
            if (::fstat(opened, &mine) != 0) return fail(errno);
            if (::stat(name.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
                mine.st_dev == named.st_dev) {
                return {};
            }
            ::close(opened);
        }
    }

    status fail(int error) {
        const bool kept = flushed > 0 && !part.empty();
        failure =
            fmt::format("{}: cannot write: {}{}{}{}", path, reason(error),
                        flushed > 0 ? " after " + findings::bytes_text(flushed) : "",
                        kept ? "; " + part + " holds what was written" : "", advice(error, option));
        return {failure};
    }

    status write_through(byte_view bytes) {
        if (reader_gone) return {};
        while (!bytes.empty()) {
            const ssize_t n = ::write(fd, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0 && errno == EPIPE && device) {
                reader_gone = true;
                return {};
            }
            if (n < 0) return fail(errno);
            flushed += static_cast<std::uint64_t>(n);
            bytes = bytes.subspan(static_cast<std::size_t>(n));
        }
        return {};
    }
};

output_file::output_file() = default;
output_file::~output_file() = default;
output_file::output_file(output_file&&) noexcept = default;
output_file& output_file::operator=(output_file&&) noexcept = default;

status output_file::open(const std::string& path, existing what, std::string_view option) {
    state_ = std::make_unique<state>();
    state& s = *state_;
    s.path = path;
    s.option = option;
    s.buffer.reserve(buffer_size);
    if (path == "-") {
        s.fd = STDOUT_FILENO;
        s.device = s.standard_output = true;
        return {};
    }
    struct stat info {};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return {fmt::format("{}: is a directory; {} NAME writes elsewhere", path, option)};
    s.device = exists && !S_ISREG(info.st_mode);
    const bool in_place = s.device || what == existing::append_in_place;
    if (exists && !s.device && what == existing::offer_append) {
        return {fmt::format(
            "{}: exists; --force replaces it, --append continues it, {} NAME writes elsewhere",
            path, option)};
    }
    if (exists && !s.device && what == existing::refuse)
        return {
            fmt::format("{}: exists; --force replaces it, {} NAME writes elsewhere", path, option)};
    if (!in_place) s.part = path + ".part";
    const std::string& opened = in_place ? path : s.part;
    if (s.device) {
        s.fd = ::open(opened.c_str(), O_WRONLY | O_CLOEXEC);
        return s.fd < 0 ? s.fail(errno) : status{};
    }
    if (exists && !in_place) {
        if (status locked = s.open_locked(path, O_RDONLY, s.replaced); !locked.ok()) return locked;
    }
    const int flags = in_place ? O_RDWR : O_RDWR | O_CREAT;
    if (status locked = s.open_locked(opened, flags, s.fd); !locked.ok()) return locked;
    if (!in_place && ::ftruncate(s.fd, 0) != 0) return s.fail(errno);
    if (in_place) s.flushed = static_cast<std::uint64_t>(::lseek(s.fd, 0, SEEK_END));
    return {};
}

status output_file::write(byte_view bytes) {
    state& s = *state_;
    if (!s.failure.empty()) return {s.failure};
    if (s.buffer.size() + bytes.size() > buffer_size) {
        if (status done = flush(); !done.ok()) return done;
        if (bytes.size() >= buffer_size) return s.write_through(bytes);
    }
    s.buffer.insert(s.buffer.end(), bytes.begin(), bytes.end());
    return {};
}

status output_file::flush() {
    state& s = *state_;
    if (!s.failure.empty()) return {s.failure};
    status done = s.write_through(s.buffer);
    s.buffer.clear();
    return done;
}

std::uint64_t output_file::position() const noexcept {
    return state_->flushed + state_->buffer.size();
}

status output_file::truncate(std::uint64_t size) {
    if (status done = flush(); !done.ok()) return done;
    state& s = *state_;
    if (::ftruncate(s.fd, static_cast<off_t>(size)) != 0) return s.fail(errno);
    if (::lseek(s.fd, static_cast<off_t>(size), SEEK_SET) < 0) return s.fail(errno);
    s.flushed = size;
    return {};
}

status output_file::commit() {
    if (status done = flush(); !done.ok()) return done;
    state& s = *state_;
    if (s.committed) return {};
    s.committed = true;
    if (s.device) {
        s.release();
        return {};
    }
    if (::fsync(s.fd) != 0) return s.fail(errno);
    if (!s.part.empty()) {
        if (std::rename(s.part.c_str(), s.path.c_str()) != 0) return s.fail(errno);
        // The new name must survive a crash, too.
        const std::string folder = std::filesystem::path(s.path).parent_path().string();
        const int dir =
            ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (dir >= 0) {
            (void)::fsync(dir);
            ::close(dir);
        }
    }
    s.release();
    return {};
}

bool output_file::is_device() const noexcept {
    return state_->device;
}
bool output_file::is_standard_output() const noexcept {
    return state_->standard_output;
}
bool output_file::reader_gone() const noexcept {
    return state_ && state_->reader_gone;
}
int output_file::descriptor() const noexcept {
    return state_ ? state_->fd : -1;
}
const std::string& output_file::path() const noexcept {
    return state_->path;
}

}  // namespace cdcscope::sink
