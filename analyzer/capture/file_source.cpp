#include "analyzer/capture/file_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "analyzer/capture/file_errors.h"

namespace cdcscope::capture {

file_source::file_source(int descriptor, bool follow) : descriptor_(descriptor), follow_(follow) {
    struct stat about {};
    if (::fstat(descriptor_, &about) == 0 && S_ISREG(about.st_mode)) {
        regular_ = true;
        progress_.total = static_cast<std::uint64_t>(about.st_size);
        (void)::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
}

file_source::~file_source() {
    ::close(descriptor_);
}

read_result file_source::read(std::span<std::uint8_t> into) {
    if (failed_with_ != 0) return {read_state::error, 0};
    ssize_t n = ::read(descriptor_, into.data(), into.size());
    if (n < 0 && errno == EAGAIN && wait_for_data())
        n = ::read(descriptor_, into.data(), into.size());
    if (n > 0) {
        progress_.done += static_cast<std::uint64_t>(n);
        return {read_state::data, static_cast<std::size_t>(n)};
    }
    if (n == 0) return {follow_ && regular_ ? read_state::more : read_state::end, 0};
    // An interrupted read goes back to the caller: it may want to stop while a pipe is silent.
    if (errno == EINTR || errno == EAGAIN) return {read_state::more, 0};
    failed_with_ = errno;
    return {read_state::error, 0};
}

// Another program that shares the pipe may have made it non-blocking. False if a signal came first.
bool file_source::wait_for_data() const {
    pollfd waiting{descriptor_, POLLIN, 0};
    return ::poll(&waiting, 1, -1) > 0;
}

std::string file_source::problem() const {
    return failed_with_ == 0 ? std::string{} : system_reason(failed_with_);
}

}  // namespace cdcscope::capture
