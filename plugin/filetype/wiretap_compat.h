// Wiretap's interface for file readers, and all that differs between 4.0, 4.4 and 4.6. 4.0 and 4.4
// do not install the structure that a reader has to fill in: its leading part is written out here
// and tried before use.
#pragma once

#include <wireshark.h>
#include <ws_version.h>

#include <wiretap/wtap.h>
#include <wsutil/buffer.h>
#if WIRESHARK_VERSION_MAJOR * 100 + WIRESHARK_VERSION_MINOR >= 402
#include <wsutil/array.h>
#include <wsutil/plugins.h>
#endif

#include <cstdint>

#include "proto/wire/bytes.h"

#define CDC_WIRETAP_API (WIRESHARK_VERSION_MAJOR * 100 + WIRESHARK_VERSION_MINOR)

#if CDC_WIRETAP_API >= 406
extern "C" {
#include <wiretap/file_wrappers.h>
#include <wiretap/wtap_module.h>
}
#else
extern "C" {
typedef struct wtap_reader* FILE_T;
gint64 file_seek(FILE_T stream, gint64 offset, int whence, int* err);
int file_read(void* buffer, unsigned count, FILE_T file);
int file_error(FILE_T file, char** err_info);
}
#endif

namespace cdcscope::wiretap {

#if CDC_WIRETAP_API >= 402
using boolean = bool;
#else
using boolean = gboolean;
#endif

#if CDC_WIRETAP_API >= 406
using read_function = subtype_read_func;
using file = struct wtap;
inline file& open_file(wtap* w) {
    return *w;
}
#else
using read_function = boolean (*)(wtap*, wtap_rec*, Buffer*, int*, char**, gint64*);
using seek_read_function = boolean (*)(wtap*, gint64, wtap_rec*, Buffer*, int*, char**);

// The first members of wiretap's private `struct wtap`.
struct file {
    FILE_T fh;
    FILE_T random_fh;
    boolean ispipe;
    int file_type_subtype;
    unsigned snapshot_length;
    GArray* shb_hdrs;
#if CDC_WIRETAP_API >= 402
    GArray* shb_iface_to_global;
#endif
    GArray* interface_data;
    unsigned next_interface_data;
    GArray* nrb_hdrs;
    GArray* dsbs;
#if CDC_WIRETAP_API >= 402
    GArray* meta_events;
#endif
    char* pathname;
    void* priv;
    void* wslua_data;
    read_function subtype_read;
    seek_read_function subtype_seek_read;
    void (*subtype_sequential_close)(wtap*);
    void (*subtype_close)(wtap*);
    int file_encap;
    int file_tsprec;
};
inline file& open_file(wtap* w) {
    return *reinterpret_cast<file*>(w);
}
#endif

// Whether the structure above is the one that this Wireshark uses: what is written through it must
// come back by public functions.
[[nodiscard]] inline bool layout_fits(wtap* w) {
    file& f = open_file(w);
    const int encap = f.file_encap;
    const int precision = f.file_tsprec;
    if (encap != wtap_file_encap(w) || precision != wtap_file_tsprec(w)) return false;
    f.file_encap = WTAP_ENCAP_ETHERNET;
    f.file_tsprec = WTAP_TSPREC_MSEC;
    const bool fits =
        wtap_file_encap(w) == WTAP_ENCAP_ETHERNET && wtap_file_tsprec(w) == WTAP_TSPREC_MSEC;
    f.file_encap = encap;
    f.file_tsprec = precision;
    return fits;
}

// Readies a record for a packet and gives the buffer that its bytes belong into, empty.
inline Buffer* begin_record(wtap_rec* rec, [[maybe_unused]] Buffer* buffer, int encap) {
#if CDC_WIRETAP_API >= 406
    wtap_setup_packet_rec(rec, encap);
    Buffer* to = &rec->data;
#else
    rec->rec_type = REC_TYPE_PACKET;
    rec->rec_header.packet_header.pkt_encap = encap;
    Buffer* to = buffer;
#endif
    rec->block = wtap_block_create(WTAP_BLOCK_PACKET);
    ws_buffer_clean(to);
    return to;
}

// ws_buffer_append() takes bytes it only reads as if it changed them (4.0).
inline void append(Buffer* to, byte_view bytes) {
    ws_buffer_append(to, const_cast<std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace cdcscope::wiretap
