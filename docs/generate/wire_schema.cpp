#include "docs/generate/wire_schema.h"

namespace cdcscope::docs {

constexpr std::string_view wire_schema =
    R"({"type":"object","required":["conn","dir","frames","time","offset","bytes"],"properties":{
"conn":{"type":"integer","minimum":1},"dir":{"enum":["c2s","s2c"]},
"frames":{"type":"array","items":{"type":"integer","minimum":1},"minItems":1,"maxItems":2},
"time":{"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{9}Z$"},
"file":{"type":"string"},"offset":{"type":"integer","minimum":0},"bytes":{"type":"integer","minimum":1},
"opaque":{"type":"string","pattern":"^0x[0-9a-f]{1,8}$"},
"cut":{"type":"object","required":["captured","of"],"properties":{"captured":{"type":"integer"},"of":{"type":"integer"}}},
"afterGap":{"const":true},"gapBytes":{"type":"integer","minimum":0}}})";

}  // namespace cdcscope::docs
