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
#include <vector>

#include "analyzer/capture/file_errors.h"
#include "proto/findings/words.h"

namespace cdcscope::sink {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;
constexpr std::size_t small_buffer_size = std::size_t{1} << 16;  // of files that stay closed

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
        case EMFILE:
        case ENFILE:
            return "; ulimit -n NUMBER allows more open files";
        case ENOENT:
            return fmt::format("; make the folder first, or {} NAME writes elsewhere", option);
        default:
            return "";
    }
}

int open_folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
    bool stays_closed = false;
    bool keeps_nothing = false;
    dev_t device_number = 0;  // of a file that stays closed
    ino_t inode = 0;
    std::size_t room = buffer_size;
    std::uint64_t flushed = 0;
    std::vector<std::uint8_t> buffer;
    std::string failure;

    ~state() {
        if ((fd >= 0 || stays_closed) && !part.empty() && !committed &&
            (flushed == 0 || keeps_nothing))
            ::unlink(part.c_str());
        release();
    }

    // Opens again a file that stays closed, where it was left.
    status wake() {
        if (fd >= 0 || !stays_closed) return {};
        const std::string& name = part.empty() ? path : part;
        fd = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
        if (fd < 0) return fail(errno);
        struct stat info {};
        if (::fstat(fd, &info) != 0) return fail(errno);
        if (info.st_ino != inode || info.st_dev != device_number ||
            static_cast<std::uint64_t>(info.st_size) != flushed ||
            ::flock(fd, LOCK_EX | LOCK_NB) != 0) {
            failure = fmt::format(
                "{}: another process is writing it; wait for it, or {} NAME writes elsewhere", name,
                option);
            return {failure};
        }
        return ::lseek(fd, static_cast<off_t>(flushed), SEEK_SET) < 0 ? fail(errno) : status{};
    }
    void doze() {
        if (stays_closed) release();
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
        const bool kept = flushed > 0 && !part.empty() && !keeps_nothing;
        failure =
            fmt::format("{}: cannot write: {}{}{}{}", path, capture::system_reason(error),
                        flushed > 0 ? " after " + findings::bytes_text(flushed) : "",
                        kept ? "; " + part + " holds what was written" : "", advice(error, option));
        return {failure};
    }

    status write_through(byte_view bytes) {
        if (reader_gone || bytes.empty()) return {};
        if (status open = wake(); !open.ok()) return open;
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
    if (s.buffer.size() + bytes.size() > s.room) {
        if (status done = flush(); !done.ok()) return done;
        if (bytes.size() >= s.room) {
            status done = s.write_through(bytes);
            s.doze();
            return done;
        }
    }
    s.buffer.insert(s.buffer.end(), bytes.begin(), bytes.end());
    return {};
}

status output_file::flush() {
    state& s = *state_;
    if (!s.failure.empty()) return {s.failure};
    status done = s.write_through(s.buffer);
    s.buffer.clear();
    s.doze();
    return done;
}

std::uint64_t output_file::position() const noexcept {
    return state_->flushed + state_->buffer.size();
}

status output_file::truncate(std::uint64_t size) {
    if (status done = flush(); !done.ok()) return done;
    state& s = *state_;
    if (status open = s.wake(); !open.ok()) return open;
    if (::ftruncate(s.fd, static_cast<off_t>(size)) != 0) return s.fail(errno);
    if (::lseek(s.fd, static_cast<off_t>(size), SEEK_SET) < 0) return s.fail(errno);
    s.flushed = size;
    s.doze();
    return {};
}

void output_file::stay_closed() {
    state& s = *state_;
    struct stat info {};
    if (s.device || s.fd < 0 || ::fstat(s.fd, &info) != 0) return;
    s.device_number = info.st_dev;
    s.inode = info.st_ino;
    s.stays_closed = true;
    s.room = small_buffer_size;
    if (s.buffer.empty()) std::vector<std::uint8_t>().swap(s.buffer);
    s.doze();
}

status output_file::commit() {
    if (status done = flush(); !done.ok()) return done;
    state& s = *state_;
    if (s.committed) return {};
    if (!s.device) {
        if (status open = s.wake(); !open.ok()) return open;
        if (::fsync(s.fd) != 0) return s.fail(errno);
    }
    if (status done = publish(); !done.ok()) return done;
    if (s.part.empty()) return {};
    // The new name must survive a crash, too.
    const int dir = open_folder_of(s.path);
    if (dir >= 0) {
        (void)::fsync(dir);
        ::close(dir);
    }
    return {};
}

status output_file::publish() {
    state& s = *state_;
    if (!s.failure.empty()) return {s.failure};
    if (s.committed) return {};
    if (!s.part.empty() && std::rename(s.part.c_str(), s.path.c_str()) != 0) return s.fail(errno);
    s.committed = true;
    s.release();
    return {};
}

void output_file::keep_nothing() {
    state_->keeps_nothing = true;
}

void output_file::discard() {
    state& s = *state_;
    if (s.part.empty() || s.committed) return;
    ::unlink(s.part.c_str());
    s.buffer.clear();
    s.committed = true;  // nothing is left to do
    s.release();
}

status sync_folder(const std::string& path) {
    const int dir = open_folder_of(path);
    if (dir < 0) return {};
    const int error = ::syncfs(dir) == 0 ? 0 : errno;
    ::close(dir);
    if (error == 0 || error == ENOSYS) return {};
    return {fmt::format("{}: cannot write: {}{}", path, capture::system_reason(error),
                        advice(error, "-o"))};
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
