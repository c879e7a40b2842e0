// The tree of one DCP message: header, framing extras, extras and key, by the layout table. Values:
// dcp_value.h.
#pragma once

#include "plugin/dcp_dissector.h"
#include "proto/dcp/decode.h"

namespace cdcscope {

struct dcp_tree_context {
    tvbuff_t* tvb = nullptr;
    packet_info* pinfo = nullptr;
    const dcp::message_view* m = nullptr;
    dcp::decode_context decoding;
    bool visible = false;
};

void add_dcp_header(const dcp_tree_context& t, proto_tree* tree);
void add_dcp_framing(const dcp_tree_context& t, proto_tree* tree);
void add_dcp_extras(const dcp_tree_context& t, proto_tree* tree);
void add_dcp_key(const dcp_tree_context& t, proto_tree* tree);

// Pieces that values use, too. `at` is an offset in `tvb`.
proto_item* add_dcp_number(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb,
                           dcp::field_id id, std::size_t at, unsigned encoding = ENC_BIG_ENDIAN);
void add_dcp_layout(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb,
                    const dcp::layout& l, std::size_t at);
proto_item* add_dcp_text(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb,
                         dcp::field_id id, std::size_t at, byte_view bytes);
proto_item* add_dcp_bytes(proto_tree* tree, tvbuff_t* tvb, dcp::field_id id, std::size_t at,
                          std::size_t size);
proto_tree* add_dcp_group(proto_tree* tree, tvbuff_t* tvb, dcp::field_id id, std::size_t at,
                          std::size_t size, proto_item** item = nullptr);
// A document's key with or without collection prefix.
void add_dcp_document_key(const dcp_tree_context& t, proto_tree* tree, const dcp::key_view& key);

}  // namespace cdcscope
