// `seastreamer`: records of a .ss file, as the wiretap plugin hands them out (docs/ss.md sections 2
// to 5).
#include "plugin/boundary.h"

#include <iterator>
#include "plugin/canal_dissector.h"
#include "plugin/canal_labels.h"
#include "plugin/dcp_dissector.h"
#include "plugin/json.h"
#include "plugin/protocols.h"
#include "plugin/ss_record.h"
#include "plugin/text.h"
#include "proto/ss/beacon.h"
#include "proto/ss/header.h"

#include <wiretap/wtap.h>

namespace cdcscope {
namespace {

int proto_seastreamer = -1;
int hf_offset = -1, hf_file_name = -1, hf_created = -1, hf_interval = -1, hf_version = -1;
int hf_key_size = -1, hf_key = -1, hf_shard = -1, hf_sequence = -1, hf_timestamp = -1, hf_size = -1,
    hf_payload = -1;
int hf_checksum = -1, hf_checksum_status = -1, hf_end_mark = -1, hf_inner_beacons = -1;
int hf_remaining = -1, hf_marker_count = -1, hf_marker = -1, hf_running = -1, hf_header = -1,
    hf_beacon = -1;
int ett_record = -1, ett_marker = -1, ett_payload = -1;
expert_field ei_checksum = EI_INIT;
expert_field ei_end_mark = EI_INIT;

dissector_handle_t seastreamer_handle;
dissector_table_t key_table;  // "seastreamer.stream_key"

struct record_view {
    tvbuff_t* tvb;
    packet_info* pinfo;
    proto_tree* tree;
    int at;  // of the file's bytes
};

int at_of(std::size_t offset) {
    return static_cast<int>(offset);
}

void add_time(const record_view& r, proto_tree* tree, int id, int at, std::uint64_t ms) {
    const nstime_t time = canal_time(static_cast<std::int64_t>(ms));
    proto_tree_add_time(tree, id, r.tvb, at, 8, &time);
}

void add_header(const record_view& r) {
    const int size = at_of(ss::header_size);
    const byte_view bytes{tvb_get_ptr(r.tvb, r.at, size), ss::header_size};
    const ss::decoded_header h = ss::decode_header(bytes);
    proto_tree_add_item(r.tree, hf_header, r.tvb, r.at, size, ENC_NA);
    proto_tree_add_string(r.tree, hf_file_name, r.tvb, r.at, size,
                          ws::field_text(r.pinfo, as_bytes(h.value.file_name)));
    proto_tree_add_uint(r.tree, hf_version, r.tvb, r.at + 2, 1, bytes[2]);
    const nstime_t created = canal_time(static_cast<std::int64_t>(h.value.created_ms));
    proto_tree_add_time(r.tree, hf_created, r.tvb, r.at, size, &created);
    proto_tree_add_uint(r.tree, hf_interval, r.tvb, r.at, size, h.value.interval);
    col_append_fstr(r.pinfo->cinfo, COL_INFO, "Header %s, a beacon every %u bytes",
                    ws::printable(r.pinfo, as_bytes(h.value.file_name)), h.value.interval);
}

// Key, shard, sequence and time, as messages and markers begin; the offset behind them.
int add_label(const record_view& r, proto_tree* tree, int at) {
    const int key_size = ws::u8(r.tvb, at);
    proto_tree_add_item(tree, hf_key_size, r.tvb, at, 1, ENC_BIG_ENDIAN);
    proto_tree_add_item(tree, hf_key, r.tvb, at + 1, key_size, ENC_UTF_8);
    at += 1 + key_size;
    proto_tree_add_item(tree, hf_shard, r.tvb, at, 8, ENC_BIG_ENDIAN);
    proto_tree_add_item(tree, hf_sequence, r.tvb, at + 8, 8, ENC_BIG_ENDIAN);
    add_time(r, tree, hf_timestamp, at + 16, tvb_get_ntoh64(r.tvb, at + 16));
    return at + 24;
}

bool goes_one_way(std::string_view key) {
    return key.ends_with(".c2s") || key.ends_with(".s2c");
}

// Payloads as cdcscope writes them: JSON, or the bytes of a message where the key has a direction.
void dissect_payload(const record_view& r, std::string_view key, tvbuff_t* payload) {
    proto_item* item = proto_tree_add_item(r.tree, hf_payload, payload, 0, -1, ENC_NA);
    proto_tree* sub = proto_item_add_subtree(item, ett_payload);
    const char* key_text = wmem_strndup(r.pinfo->pool, key.data(), key.size());
    if (ws::dissector_try(key_table, key_text, payload, r.pinfo, sub, nullptr)) return;
    const unsigned size = tvb_captured_length(payload);
    const byte_view bytes{tvb_get_ptr(payload, 0, static_cast<int>(size)), size};
    if (!bytes.empty() && bytes[0] == '{') {
        col_append_fstr(r.pinfo->cinfo, COL_INFO, " %s", ws::printable(r.pinfo, bytes, 120));
        col_set_fence(r.pinfo->cinfo, COL_INFO);
        ws::dissect_json(payload, r.pinfo, sub);
    } else if (goes_one_way(key) && key.starts_with("dcp.")) {
        dissect_lone_dcp(payload, r.pinfo, r.tree);
    } else if (goes_one_way(key) && key.starts_with("canal.")) {
        const bool admin = key.find(".admin.") != std::string_view::npos;
        canal_packet packet{.c = nullptr,
                            .dir = key.ends_with(".c2s") ? direction::c2s : direction::s2c,
                            .ordinal = 1,
                            .port = admin ? canal::port_kind::admin : canal::port_kind::data,
                            .zero_defaults = false,
                            .memory = {},
                            .bare = true};
        dissect_canal(payload, r.pinfo, r.tree, packet);
    } else {
        col_append_fstr(r.pinfo->cinfo, COL_INFO, " %s", ws::printable(r.pinfo, bytes, 120));
        call_data_dissector(payload, r.pinfo, sub);
    }
}

void add_tail(const record_view& r, int at, unsigned flags) {
    const bool good = (flags & ss_record::checksum_ok) != 0;
    proto_item* item = proto_tree_add_item(r.tree, hf_checksum, r.tvb, at, 2, ENC_BIG_ENDIAN);
    proto_item_set_generated(
        proto_tree_add_uint(r.tree, hf_checksum_status, r.tvb, at, 0,
                            good ? PROTO_CHECKSUM_E_GOOD : PROTO_CHECKSUM_E_BAD));
    if (!good) expert_add_info(r.pinfo, item, &ei_checksum);
    item = proto_tree_add_item(r.tree, hf_end_mark, r.tvb, at + 2, 1, ENC_BIG_ENDIAN);
    if (ws::u8(r.tvb, at + 2) != ss::mark) expert_add_info(r.pinfo, item, &ei_end_mark);
}

void add_message(const record_view& r, unsigned flags, unsigned beacons) {
    const int behind_label = add_label(r, r.tree, r.at);
    const ss::label label = ss::read_label(tvb_get_ptr(r.tvb, r.at, behind_label - r.at));
    const std::uint32_t size = tvb_get_ntohl(r.tvb, behind_label);
    proto_tree_add_item(r.tree, hf_size, r.tvb, behind_label, 4, ENC_BIG_ENDIAN);
    if (beacons > 0)
        proto_item_set_generated(
            proto_tree_add_uint(r.tree, hf_inner_beacons, r.tvb, 2, 2, beacons));
    col_append_fstr(r.pinfo->cinfo, COL_INFO, "%s #%" PRIu64 "%s",
                    ws::printable(r.pinfo, as_bytes(label.key)), label.sequence,
                    (flags & ss_record::end_of_stream) != 0 ? " [end of stream]" : "");
    const int payload = behind_label + 4;
    // The checksum first: a payload that cannot be shown must not hide it.
    add_tail(r, payload + static_cast<int>(size), flags);
    dissect_payload(r, label.key, tvb_new_subset_length(r.tvb, payload, static_cast<int>(size)));
}

void add_beacon(const record_view& r) {
    proto_tree_add_item(r.tree, hf_beacon, r.tvb, r.at, -1, ENC_NA);
    proto_tree_add_item(r.tree, hf_remaining, r.tvb, r.at + 1, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(r.tree, hf_marker_count, r.tvb, r.at + 5, 1, ENC_BIG_ENDIAN);
    const unsigned markers = ws::u8(r.tvb, r.at + 5);
    int at = r.at + 6;
    for (unsigned i = 0; i < markers; ++i) {
        const int start = at;
        proto_item* item = proto_tree_add_item(r.tree, hf_marker, r.tvb, start, 1, ENC_NA);
        proto_tree* sub = proto_item_add_subtree(item, ett_marker);
        at = add_label(r, sub, at);
        proto_tree_add_item(sub, hf_running, r.tvb, at, 2, ENC_BIG_ENDIAN);
        at += 2;
        proto_item_set_len(item, at - start);
    }
    proto_tree_add_item(r.tree, hf_end_mark, r.tvb, at, 1, ENC_BIG_ENDIAN);
    col_append_fstr(r.pinfo->cinfo, COL_INFO, "Beacon, %u stream%s", markers,
                    markers == 1 ? "" : "s");
}

void dissect_record(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree) {
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "SeaStreamer");
    col_clear(pinfo->cinfo, COL_INFO);
    const auto what = static_cast<ss_record::kind>(ws::u8(tvb, ss_record::kind_at));
    const unsigned flags = ws::u8(tvb, ss_record::flags_at);
    proto_item* item = proto_tree_add_item(tree, proto_seastreamer, tvb, 0, -1, ENC_NA);
    const record_view r{tvb, pinfo, proto_item_add_subtree(item, ett_record),
                        at_of(ss_record::size)};
    proto_item_set_generated(
        proto_tree_add_uint64(r.tree, hf_offset, tvb, at_of(ss_record::offset_at), 8,
                              tvb_get_ntoh64(tvb, at_of(ss_record::offset_at))));
    switch (what) {
        case ss_record::kind::header:
            return add_header(r);
        case ss_record::kind::message:
            return add_message(r, flags, tvb_get_ntohs(tvb, at_of(ss_record::beacons_at)));
        case ss_record::kind::beacon:
            return add_beacon(r);
    }
    call_data_dissector(tvb_new_subset_remaining(tvb, r.at), pinfo, r.tree);
}

int dissect(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
    return ws::dissector_boundary([&] {
        dissect_record(tvb, pinfo, tree);
        return static_cast<int>(tvb_captured_length(tvb));
    });
}

}  // namespace

void register_seastreamer() {
    static hf_register_info fields[] = {
        {&hf_offset,
         {"File Offset", "seastreamer.offset", FT_UINT64, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_header,
         {"Header", "seastreamer.header", FT_NONE, BASE_NONE, nullptr, 0, nullptr, HFILL}},
        {&hf_file_name,
         {"File Name", "seastreamer.file_name", FT_STRING, BASE_NONE, nullptr, 0,
          "When it was created", HFILL}},
        {&hf_version,
         {"Version", "seastreamer.version", FT_UINT8, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_created,
         {"Created", "seastreamer.created", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, nullptr, 0,
          nullptr, HFILL}},
        {&hf_interval,
         {"Beacon Interval", "seastreamer.interval", FT_UINT32, BASE_DEC, nullptr, 0, "Bytes",
          HFILL}},
        {&hf_key_size,
         {"Stream Key Size", "seastreamer.stream_key_size", FT_UINT8, BASE_DEC, nullptr, 0, nullptr,
          HFILL}},
        {&hf_key,
         {"Stream Key", "seastreamer.stream_key", FT_STRING, BASE_NONE, nullptr, 0, nullptr,
          HFILL}},
        {&hf_shard,
         {"Shard", "seastreamer.shard", FT_UINT64, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_sequence,
         {"Sequence", "seastreamer.sequence", FT_UINT64, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_timestamp,
         {"Timestamp", "seastreamer.timestamp", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, nullptr, 0,
          nullptr, HFILL}},
        {&hf_size,
         {"Payload Size", "seastreamer.size", FT_UINT32, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_payload,
         {"Payload", "seastreamer.payload", FT_BYTES, BASE_SHOW_UTF_8_PRINTABLE, nullptr, 0,
          nullptr, HFILL}},
        {&hf_checksum,
         {"Checksum", "seastreamer.checksum", FT_UINT16, BASE_HEX, nullptr, 0, "CRC-16/CDMA2000",
          HFILL}},
        {&hf_checksum_status,
         {"Checksum Status", "seastreamer.checksum.status", FT_UINT8, BASE_NONE,
          VALS(proto_checksum_vals), 0, nullptr, HFILL}},
        {&hf_end_mark,
         {"End Mark", "seastreamer.end_mark", FT_UINT8, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_inner_beacons,
         {"Beacons Inside", "seastreamer.inner_beacons", FT_UINT16, BASE_DEC, nullptr, 0,
          "Records of their own", HFILL}},
        {&hf_beacon,
         {"Beacon", "seastreamer.beacon", FT_NONE, BASE_NONE, nullptr, 0, nullptr, HFILL}},
        {&hf_remaining,
         {"Remaining", "seastreamer.remaining", FT_UINT32, BASE_DEC, nullptr, 0,
          "Bytes left of the message that it interrupts", HFILL}},
        {&hf_marker_count,
         {"Markers", "seastreamer.markers", FT_UINT8, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_marker,
         {"Marker", "seastreamer.marker", FT_NONE, BASE_NONE, nullptr, 0, nullptr, HFILL}},
        {&hf_running,
         {"Running Checksum", "seastreamer.running_checksum", FT_UINT16, BASE_HEX, nullptr, 0,
          nullptr, HFILL}},
    };
    static int* trees[] = {&ett_record, &ett_marker, &ett_payload};
    static ei_register_info experts[] = {
        {&ei_checksum,
         {"seastreamer.checksum.bad", PI_CHECKSUM, PI_ERROR,
          "The payload does not have this checksum", EXPFILL}},
        {&ei_end_mark,
         {"seastreamer.end_mark.bad", PI_MALFORMED, PI_WARN, "The end mark is missing", EXPFILL}},
    };
    proto_seastreamer = proto_register_protocol("SeaStreamer File", "SeaStreamer", "seastreamer");
    proto_register_field_array(proto_seastreamer, fields, static_cast<int>(std::size(fields)));
    proto_register_subtree_array(trees, static_cast<int>(std::size(trees)));
    expert_register_field_array(expert_register_protocol(proto_seastreamer), experts,
                                static_cast<int>(std::size(experts)));
    seastreamer_handle = register_dissector("seastreamer", dissect, proto_seastreamer);
    key_table = register_dissector_table("seastreamer.stream_key", "SeaStreamer stream key",
                                         proto_seastreamer, FT_STRING, ws::case_sensitive);
}

void handoff_seastreamer() {
    const int encapsulation = wtap_name_to_encap(ss_record::encapsulation);
    if (encapsulation >= 0)
        dissector_add_uint("wtap_encap", static_cast<std::uint32_t>(encapsulation),
                           seastreamer_handle);
}

}  // namespace cdcscope
