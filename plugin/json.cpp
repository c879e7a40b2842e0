#include "plugin/json.h"

#include "plugin/text.h"

namespace cdcscope::ws {
namespace {

dissector_handle_t json_handle;
int proto_json = -1;

}  // namespace

void find_json(int parent) {
    json_handle = find_dissector_add_dependency("json", parent);
    proto_json = proto_get_id_by_filter_name("json");
}

void dissect_json(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree) {
    if (json_handle == nullptr || !is_wanted(tree, proto_json)) return;
    // What it writes into columns is not about the protocol around it; and it may leave by an
    // exception.
    const bool writable = col_get_writable(pinfo->cinfo, -1) != 0;
    col_set_writable(pinfo->cinfo, -1, false);
    TRY {
        call_dissector_only(json_handle, tvb, pinfo, tree, nullptr);
    }
    CATCH_NONFATAL_ERRORS {
        show_exception(tvb, pinfo, tree, EXCEPT_CODE, GET_MESSAGE);
    }
    ENDTRY;
    col_set_writable(pinfo->cinfo, -1, writable);
}

}  // namespace cdcscope::ws
