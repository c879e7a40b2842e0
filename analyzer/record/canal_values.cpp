#include "analyzer/record/canal_values.h"

#include "proto/findings/redaction.h"
#include "proto/wire/utf8.h"

namespace cdcscope::record {

bool latin1_bytes(std::string_view text, std::string& out) {
    out.clear();
    for (byte_view rest = as_bytes(text); !rest.empty();) {
        const code_point c = decode_utf8(rest);
        if (c.size == 0 || c.value > 0xff) return false;
        out.push_back(static_cast<char>(c.value));
        rest = rest.subspan(c.size);
    }
    return true;
}

void canal_values::write_base64(json_writer& out, byte_view bytes) {
    out.begin_object().name("base64").base64(bytes).end_object();
}

void canal_values::write_text(json_writer& out, std::string_view text) {
    if (is_utf8(as_bytes(text))) {
        out.string(text);
    } else {
        write_base64(out, as_bytes(text));
    }
}

void canal_values::write_name(json_writer& out, std::string_view name) {
    if (is_utf8(as_bytes(name))) {
        out.name(name);
        return;
    }
    scratch_.clear();
    while (!name.empty()) {
        const std::size_t good = valid_utf8_prefix(as_bytes(name));
        scratch_.append(name.substr(0, good));
        if (good < name.size()) scratch_ += "\xef\xbf\xbd";
        name.remove_prefix(std::min(name.size(), good + 1));
    }
    out.name(scratch_);
}

void canal_values::write_column(json_writer& out, std::string_view value, std::int32_t sql_type) {
    const bool binary = options_.blob == blob_mode::base64 && is_binary_type(sql_type);
    if (binary && latin1_bytes(value, scratch_)) {
        write_base64(out, as_bytes(scratch_));
    } else {
        write_text(out, value);
    }
}

void canal_values::write_redacted(json_writer& out, std::size_t size) {
    scratch_ = findings::hidden_text(size);
    out.string(scratch_);
}

}  // namespace cdcscope::record
