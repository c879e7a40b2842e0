#include "plugin/dcp_summary.h"

#include "plugin/text.h"

namespace cdcscope {
namespace {

using dcp::field_id;

// Fields of extras and fixed values that a line has room for, in this order, behind vBucket, seqno
// and key.
struct brief_row {
    field_id id;
    const char* label;  // empty: the value's name says enough
};
constexpr brief_row briefs[] = {
    {field_id::start_seqno, "start"},
    {field_id::end_seqno, "end"},
    {field_id::snapshot_start, "start"},
    {field_id::snapshot_end, "end"},
    {field_id::snapshot_flags, ""},
    {field_id::prepared_seqno, "prepare"},
    {field_id::durability, ""},
    {field_id::rollback_seqno, "to"},
    {field_id::end_reason, ""},
    {field_id::oso_flags, ""},
    {field_id::event_id, ""},
    {field_id::collection_id, "cid"},
    {field_id::vbucket_state, ""},
    {field_id::ack_bytes, "bytes"},
    {field_id::open_flags, ""},
};

constexpr std::uint64_t for_ever = ~std::uint64_t{0};  // end seqno of a stream without end
constexpr std::size_t longest_key = 80;

class line {
  public:
    line(packet_info* pinfo, summary_style style, const char* begin)
        : text_(wmem_strbuf_new(pinfo->pool, begin)), style_(style) {}

    void add(const char* word) {
        separate();
        wmem_strbuf_append(text_, word);
    }
    void add(const char* label, std::uint64_t value) {
        separate();
        wmem_strbuf_append_printf(text_, "%s%c%" PRIu64, label, joint(), value);
    }
    void add_quoted(const char* label, const char* text) {
        separate();
        wmem_strbuf_append_printf(text_, "%s%c\"%s\"", label, joint(), text);
    }
    void append(const char* text) { wmem_strbuf_append(text_, text); }
    [[nodiscard]] const char* text() const { return wmem_strbuf_get_str(text_); }

  private:
    void separate() { wmem_strbuf_append(text_, style_ == summary_style::column ? " " : ", "); }
    [[nodiscard]] char joint() const { return style_ == summary_style::column ? ':' : ' '; }

    wmem_strbuf_t* text_;
    summary_style style_;
};
static_assert(std::is_trivially_destructible_v<line>);

const char* title_of(packet_info* pinfo, const dcp::message_view& m) {
    const char* name = m.row == nullptr
                           ? wmem_strdup_printf(pinfo->pool, "Opcode 0x%02x", m.head.opcode)
                           : ws::c_str(m.row->title);
    return m.head.is_response() ? wmem_strdup_printf(pinfo->pool, "%s Response", name) : name;
}

void add_partition(line& out, const dcp::message_view& m, const dcp_message& message) {
    if (m.head.is_response()) {
        if (message.memory.has_partition) out.add("vb", message.memory.partition);
    } else if (m.row != nullptr && m.row->of_stream) {
        out.add("vb", m.head.vbucket());
    }
}

void add_key(packet_info* pinfo, line& out, const dcp::message_view& m) {
    if (m.row == nullptr || m.key.bytes.empty()) return;
    const dcp::key_rule& rule = dcp::rule_of(*m.row, m.head).key;
    const char* text = ws::printable(pinfo, m.key.bytes, longest_key);
    if (rule.collection_prefix) {
        out.add_quoted("key", text);
    } else {
        out.add(text);
    }
    if (m.kind() == dcp::value_kind::text && !m.parts.value.empty()) {
        out.append("=");
        out.append(ws::printable(pinfo, m.parts.value, longest_key));
    }
}

void add_brief(packet_info* pinfo, line& out, const dcp::message_view& m, const brief_row& b) {
    const auto value = m.number(b.id);
    if (!value) return;
    const dcp::field& f = dcp::describe(b.id);
    if (*b.label != '\0') {
        if (*value == for_ever) {
            out.add(wmem_strdup_printf(pinfo->pool, "%s:max", b.label));
        } else {
            out.add(b.label, *value);
        }
    } else if (!dcp::bits_of(b.id).empty()) {
        const char* titles = bit_titles(pinfo, b.id, *value);
        if (*titles != '\0') out.add(titles);
    } else if (const dcp::named_value* name = dcp::find_value(f.values, *value)) {
        out.add(ws::c_str(name->title));
    } else {
        out.add(ws::c_str(f.title), *value);
    }
}

}  // namespace

const char* bit_titles(packet_info* pinfo, field_id id, std::uint64_t value) {
    wmem_strbuf_t* out = wmem_strbuf_new(pinfo->pool, "");
    for (const dcp::field& bit : dcp::bits_of(id)) {
        if ((value & bit.mask) == 0) continue;
        wmem_strbuf_append_printf(out, "%s%s", wmem_strbuf_get_len(out) == 0 ? "" : ", ",
                                  ws::c_str(bit.title));
        value &= ~bit.mask;
    }
    if (value != 0) {
        wmem_strbuf_append_printf(out, "%s0x%" PRIx64, wmem_strbuf_get_len(out) == 0 ? "" : ", ",
                                  value);
    }
    return wmem_strbuf_get_str(out);
}

const char* summarise_dcp(packet_info* pinfo, const dcp_message& message, summary_style style) {
    const dcp::message_view& m = message.view;
    line out(pinfo, style, title_of(pinfo, m));
    add_partition(out, m, message);
    if (const auto seqno = m.own_seqno()) out.add("seq", *seqno);
    add_key(pinfo, out, m);
    for (const brief_row& b : briefs) add_brief(pinfo, out, m, b);
    if (m.head.is_response() && m.head.status() != 0) {
        const dcp::named_value* status =
            dcp::find_value(dcp::describe(field_id::status).values, m.head.status());
        if (status != nullptr) {
            out.add(ws::c_str(status->title));
        } else {
            out.add(wmem_strdup_printf(pinfo->pool, "status 0x%04x", m.head.status()));
        }
    }
    if (m.problem != dcp::fault::none) out.add("[malformed]");
    return out.text();
}

}  // namespace cdcscope
