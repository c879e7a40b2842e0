#include "plugin/dcp_dissector.h"

#include "plugin/dcp_fields.h"
#include "plugin/dcp_preferences.h"
#include "plugin/experts.h"
#include "plugin/protocols.h"
#include "plugin/text.h"

namespace cdcscope {
namespace {

int proto_cbdcp = -1;

}  // namespace

int dcp_protocol() {
    return proto_cbdcp;
}
bool is_dcp_enabled() {
    return proto_is_protocol_enabled(find_protocol_by_id(proto_cbdcp)) != 0;
}

void observe_dcp(tvbuff_t*, packet_info*, dcp_message&) {}

void dissect_dcp(tvbuff_t* tvb, packet_info*, proto_tree* tree, const dcp_message&) {
    proto_tree_add_item(tree, proto_cbdcp, tvb, 0, -1, ENC_NA);
}

void register_dcp() {
    proto_cbdcp = proto_register_protocol("Couchbase Database Change Protocol", "CB-DCP", "cbdcp");
    register_dcp_preferences(proto_cbdcp);
    register_dcp_fields(proto_cbdcp);
    register_experts(proto_cbdcp, findings::protocol::dcp, "cbdcp");
}

void handoff_dcp() {}

}  // namespace cdcscope
