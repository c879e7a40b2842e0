#include "analyzer/capture/capture_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "analyzer/capture/file_errors.h"
#include "analyzer/capture/open_capture.h"

namespace cdcscope::capture {
namespace {

// A descriptor, or -1 and errno.
int open_descriptor(const std::string& name) {
    if (name == "-") return ::dup(STDIN_FILENO);
    const int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (descriptor < 0 || ::fstat(descriptor, &about) != 0 || !S_ISDIR(about.st_mode))
        return descriptor;
    ::close(descriptor);
    errno = EISDIR;
    return -1;
}

}  // namespace

capture_file::capture_file(std::string name, const open_options& options) : name_(std::move(name)) {
    error_ = open(options);
    if (!error_.empty()) file_ = nullptr;
}

std::string capture_file::open(const open_options& options) {
    const int descriptor = open_descriptor(name_);
    if (descriptor < 0) return describe_open_error(name_, errno);
    auto file = std::make_unique<file_source>(descriptor, options.follow);
    file_ = file.get();
    opened_reader opened = open_capture(std::move(file), name_, options.command);
    reader_ = std::move(opened.reader);
    format_ = opened.format;
    return std::move(opened.error);
}

file_progress capture_file::progress() const noexcept {
    return file_ == nullptr ? file_progress{} : file_->progress();
}

}  // namespace cdcscope::capture
