#include "analyzer/capture/capture_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "analyzer/capture/decompressor.h"
#include "analyzer/capture/file_errors.h"
#include "analyzer/capture/pcap_reader.h"
#include "analyzer/capture/pcapng_reader.h"
#include "analyzer/capture/peek_source.h"

namespace cdcscope::capture {
namespace {

constexpr std::size_t magic_size = 4;
constexpr std::size_t shown_in_errors = 64;
constexpr int packings_deep = 2;  // a capture packed twice is odd enough

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
    auto source = std::make_unique<peek_source>(std::move(file));
    std::string inside;
    for (int layer = 0; layer < packings_deep; ++layer) {
        const byte_view start = source->peek(magic_size);
        if (is_gzip(start)) {
            source = std::make_unique<peek_source>(make_gzip_source(std::move(source)));
            inside = "inside gzip, ";
        } else if (is_zstd(start)) {
            source = std::make_unique<peek_source>(make_zstd_source(std::move(source)));
            inside = "inside zstd, ";
        }
    }
    if (is_pcapng(source->peek(magic_size))) {
        format_ = "pcapng";
        reader_ = std::make_unique<pcapng_reader>(std::move(source));
        return {};
    }
    if (is_pcap(source->peek(magic_size))) {
        opened_reader opened = open_pcap(std::move(source));
        format_ = "pcap";
        reader_ = std::move(opened.reader);
        return opened.error.empty() ? std::string{} : name_ + ": " + opened.error;
    }
    const byte_view start = source->peek(shown_in_errors);
    if (source->peeked() == read_state::error) return name_ + ": cannot read: " + source->problem();
    return describe_content(name_, inside, start, options.command);
}

file_progress capture_file::progress() const noexcept {
    return file_ == nullptr ? file_progress{} : file_->progress();
}

}  // namespace cdcscope::capture
