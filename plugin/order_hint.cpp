#include "plugin/order_hint.h"

namespace cdcscope::ws {

void order_hint::enroll(int proto, const char* filter) {
    row_[0] = {&expert_,
               {filter, PI_SEQUENCE, PI_NOTE,
                "Segments are out of order, lost, cut or acknowledged unseen: messages may be "
                "missing, rules over both directions only note. tcp.reassemble_out_of_order: on "
                "against reordering, off against holes; cdcscope report sees everything",
                EXPFILL}};
    expert_register_field_array(expert_register_protocol(proto), row_, 1);
}

void order_hint::show(packet_info* pinfo, proto_item* item, const connection& c, std::uint32_t id) {
    if (id != 0 && id == c.hinted) expert_add_info(pinfo, item, &expert_);
}

}  // namespace cdcscope::ws
