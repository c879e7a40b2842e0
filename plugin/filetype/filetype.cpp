// The wiretap plugin: opens .ss files in everything that reads captures.
#include <cerrno>
#include <exception>

#include "plugin/filetype/ss_file.h"

namespace cdcscope::wiretap {
namespace {

int encapsulation = -1;
int file_type = -1;

// One a file; wiretap frees the block itself, close_file() what it owns.
struct open_state {
    record_reader* in_order;
    record_reader* by_offset;  // null without a second handle
};

open_state& state_of(wtap* w) {
    return *static_cast<open_state*>(open_file(w).priv);
}

void put_time(wtap_rec* rec, std::uint64_t ms) {
    rec->presence_flags = WTAP_HAS_TS | WTAP_HAS_CAP_LEN;
    rec->ts.secs = static_cast<time_t>(ms / 1000);
    rec->ts.nsecs = static_cast<int>(ms % 1000 * 1'000'000);
    rec->tsprec = WTAP_TSPREC_MSEC;
}

void put_record(wtap_rec* rec, Buffer* buffer, const record& r) {
    std::array<std::uint8_t, ss_record::size> head{};
    head[ss_record::kind_at] = static_cast<std::uint8_t>(r.what);
    head[ss_record::flags_at] = r.flags;
    store_be16(head.data() + ss_record::beacons_at, r.beacons);
    store_be64(head.data() + ss_record::offset_at, r.offset);
    Buffer* to = begin_record(rec, buffer, encapsulation);
    append(to, head);
    append(to, r.bytes);
    put_time(rec, r.time_ms);
    rec->rec_header.packet_header.caplen = static_cast<std::uint32_t>(head.size() + r.bytes.size());
    rec->rec_header.packet_header.len =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(head.size() + r.whole, 0x7fffffff));
}

boolean fail(const record_reader& reader, int* err, char** err_info) {
    *err = WTAP_ERR_BAD_FILE;
    *err_info = g_strdup(("seastreamer: " + reader.trouble()).c_str());
    return false;
}

// Calls `read` and turns what it says, or throws, into wiretap's terms.
template <typename Read>
boolean guarded(const record_reader& reader, wtap_rec* rec, Buffer* buffer, int* err,
                char** err_info, Read read) {
    try {
        record r;
        switch (read(r)) {
            case next_state::record:
                put_record(rec, buffer, r);
                return true;
            case next_state::end:
                *err = 0;
                return false;
            case next_state::broken:
                return fail(reader, err, err_info);
        }
    } catch (const std::exception&) {  // no memory
    }
    *err = ENOMEM;
    return false;
}

boolean read_next(wtap* w, wtap_rec* rec, Buffer* buffer, int* err, char** err_info,
                  gint64* data_offset) {
    record_reader& reader = *state_of(w).in_order;
    return guarded(reader, rec, buffer, err, err_info, [&](record& r) {
        const next_state state = reader.next(r);
        *data_offset = static_cast<gint64>(r.offset);
        return state;
    });
}

boolean read_at(wtap* w, gint64 offset, wtap_rec* rec, Buffer* buffer, int* err, char** err_info) {
    record_reader& reader = *state_of(w).by_offset;
    return guarded(reader, rec, buffer, err, err_info, [&](record& r) {
        const next_state state = reader.at(static_cast<std::uint64_t>(offset), r);
        return state == next_state::end ? next_state::broken : state;
    });
}

#if CDC_WIRETAP_API >= 406
bool subtype_read(wtap* w, wtap_rec* rec, int* err, char** err_info, int64_t* data_offset) {
    return read_next(w, rec, nullptr, err, err_info, data_offset);
}
bool subtype_seek_read(wtap* w, int64_t offset, wtap_rec* rec, int* err, char** err_info) {
    return read_at(w, offset, rec, nullptr, err, err_info);
}
#else
constexpr auto subtype_read = read_next;
constexpr auto subtype_seek_read = read_at;
#endif

void close_file(wtap* w) {
    open_state& state = state_of(w);
    delete state.in_order;
    delete state.by_offset;
    state = {};
}

// The header, or nothing if this is no .ss file.
std::optional<ss::header> read_header(FILE_T handle, ss::header_bytes& bytes) {
    handle_source source(handle);
    if (source.read(0, bytes) != bytes.size()) return std::nullopt;
    const ss::decoded_header h = ss::decode_header(bytes);
    if (h.broken) return std::nullopt;
    return h.value;
}

wtap_open_return_val open_ss(wtap* w, int* err, char** err_info) {
    if (!layout_fits(w))
        return WTAP_OPEN_NOT_MINE;  // a Wireshark that this reader was not made for
    file& f = open_file(w);
    try {
        ss::header_bytes bytes{};
        const std::optional<ss::header> head = read_header(f.fh, bytes);
        if (!head) {
            *err = file_error(f.fh, err_info);
            if (*err != 0) return WTAP_OPEN_ERROR;
            return WTAP_OPEN_NOT_MINE;
        }
        auto in_order = std::make_unique<record_reader>(f.fh, *head);
        std::unique_ptr<record_reader> by_offset;
        if (f.random_fh != nullptr) by_offset = std::make_unique<record_reader>(f.random_fh, *head);
        auto* state = g_new(open_state, 1);
        *state = {in_order.release(), by_offset.release()};
        f.priv = state;
    } catch (const std::exception&) {  // no memory
        *err = ENOMEM;
        return WTAP_OPEN_ERROR;
    }
    f.file_type_subtype = file_type;
    f.file_encap = encapsulation;
    f.file_tsprec = WTAP_TSPREC_MSEC;
    f.snapshot_length = 0;
    f.subtype_read = subtype_read;
    f.subtype_seek_read = subtype_seek_read;
    f.subtype_close = close_file;
    return WTAP_OPEN_MINE;
}

void register_file_type() {
    constexpr const char* name = "seastreamer";
    if (wtap_has_open_info(name))
        return;  // a second copy of the plugin; registering twice is fatal
    static const supported_block_type blocks[] = {
        {WTAP_BLOCK_PACKET, MULTIPLE_BLOCKS_SUPPORTED, NO_OPTIONS_SUPPORTED}};
    static const file_type_subtype_info info = {
        "SeaStreamer file",       name,    "ss",    nullptr, false,
        BLOCKS_SUPPORTED(blocks), nullptr, nullptr, nullptr};
    static open_info opener = {name, OPEN_INFO_MAGIC, open_ss, nullptr, nullptr, nullptr};
    encapsulation = wtap_register_encap_type("SeaStreamer file record", ss_record::encapsulation);
    file_type = wtap_register_file_type_subtype(&info);
    wtap_register_open_info(&opener, true);
}

const wtap_plugin plugin = {register_file_type};

}  // namespace
}  // namespace cdcscope::wiretap

extern "C" {
WS_DLL_PUBLIC_DEF extern const char plugin_version[] = PLUGIN_VERSION;
WS_DLL_PUBLIC_DEF extern const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF extern const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

WS_DLL_PUBLIC_DEF void plugin_register(void) {
    wtap_register_plugin(&cdcscope::wiretap::plugin);
}

#if CDC_WIRETAP_API >= 402
WS_DLL_PUBLIC_DEF std::uint32_t plugin_describe(void) {
    return WS_PLUGIN_DESC_FILE_TYPE;
}
#endif
}
