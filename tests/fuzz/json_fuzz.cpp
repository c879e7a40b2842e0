// JSON: what is compacted stays valid and does not change any more; text that the writer quotes is
// one valid string.
#include <cstdlib>

#include "proto/json/json_document.h"
#include "proto/json/json_writer.h"
#include "proto/wire/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace cdcscope;
    const auto require = [](bool holds) {
        if (!holds) std::abort();
    };
    const byte_view input(data, size);
    std::string once = "kept";
    if (append_compact_json(once, input)) {
        std::string twice;
        require(append_compact_json(twice, as_bytes(std::string_view(once).substr(4))));
        require("kept" + twice == once);
        require(once.find('\n') == std::string::npos);
    } else {
        require(once == "kept");
    }
    json_writer out;
    out.begin_object().text_or_base64("text", input).end_object();
    std::string compact;
    require(append_compact_json(compact, as_bytes(out.text())));
    require(compact == out.text());
    return 0;
}
