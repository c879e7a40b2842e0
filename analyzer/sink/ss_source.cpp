#include "analyzer/sink/ss_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "analyzer/capture/file_errors.h"

namespace cdcscope::sink {

ss_file_source::~ss_file_source() {
    if (owned_ && fd_ >= 0) ::close(fd_);
}

status ss_file_source::open(const std::string& path) {
    path_ = path;
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    owned_ = true;
    if (fd_ < 0) {
        if (errno == ENOENT) return {path + ": no such file"};
        return {fmt::format("{}: cannot open: {}", path, capture::system_reason(errno))};
    }
    struct stat info {};
    if (::fstat(fd_, &info) != 0)
        return {fmt::format("{}: cannot open: {}", path, capture::system_reason(errno))};
    if (S_ISDIR(info.st_mode)) return {path + ": is a directory; give a .ss file"};
    if (!S_ISREG(info.st_mode)) {
        return {path +
                ": not a regular file; .ss files are read by leaps: copy it to a file first"};
    }
    return {};
}

void ss_file_source::borrow(int descriptor, const std::string& path) {
    path_ = path;
    fd_ = descriptor;
    owned_ = false;
}

std::size_t ss_file_source::read(std::uint64_t offset, std::span<std::uint8_t> to) {
    std::size_t done = 0;
    while (done < to.size()) {
        const ssize_t n =
            ::pread(fd_, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            error_ = errno;
            return failed;
        }
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    bytes_read_ += done;
    return done;
}

std::uint64_t ss_file_source::size() {
    struct stat info {};
    return ::fstat(fd_, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::string ss_file_source::failure() const {
    return fmt::format("{}: cannot read: {}", path_, capture::system_reason(error_));
}

}  // namespace cdcscope::sink
