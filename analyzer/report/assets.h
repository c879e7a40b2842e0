// Style sheet, script, shapes and charting library of the page, put into the program at build time
// (embed.cmake).
#pragma once

#include <string_view>

namespace cdcscope::report::assets {

extern const std::string_view page_css, page_js, symbols_svg, dygraph_css, dygraph_js;
// SHA-256 of the two scripts, 64 hexadecimal digits, for the page's Content-Security-Policy.
extern const std::string_view page_js_sha256, dygraph_js_sha256;

}  // namespace cdcscope::report::assets
