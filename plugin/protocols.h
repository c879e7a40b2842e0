// The protocols of the epan plugin. Every register_ function runs before any handoff_ function.
#pragma once

namespace cdcscope {

void register_kv_demux();
void handoff_kv_demux();

void register_dcp();
void handoff_dcp();

void register_canal();
void handoff_canal();

void register_seastreamer();
void handoff_seastreamer();

}  // namespace cdcscope
