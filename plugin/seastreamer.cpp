// `seastreamer`: records of a .ss file, as the wiretap plugin hands them out (wireshark.md section
// 8).
#include "plugin/protocols.h"
#include "plugin/ws_compat.h"

namespace cdcscope {
namespace {

int proto_seastreamer = -1;

}  // namespace

void register_seastreamer() {
    proto_seastreamer = proto_register_protocol("SeaStreamer File", "SeaStreamer", "seastreamer");
}

void handoff_seastreamer() {}

}  // namespace cdcscope
