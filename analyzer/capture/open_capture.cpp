#include "analyzer/capture/open_capture.h"

#include <fmt/format.h>

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

}  // namespace

opened_reader open_capture(std::unique_ptr<byte_source> bytes, const std::string& name,
                           const std::string& command) {
    auto source = std::make_unique<peek_source>(std::move(bytes));
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
    if (is_pcapng(source->peek(magic_size)))
        return {std::make_unique<pcapng_reader>(std::move(source)), {}, "pcapng"};
    if (is_pcap(source->peek(magic_size))) {
        opened_reader opened = open_pcap(std::move(source));
        opened.format = "pcap";
        if (!opened.error.empty()) opened.error.insert(0, name + ": ");
        return opened;
    }
    const byte_view start = source->peek(shown_in_errors);
    if (source->peeked() == read_state::more)
        return {nullptr, fmt::format("{}: {}", name, not_yet), {}};
    if (source->peeked() == read_state::error)
        return {nullptr, name + ": cannot read: " + source->problem(), {}};
    return {nullptr, describe_content(name, inside, start, command), {}};
}

}  // namespace cdcscope::capture
