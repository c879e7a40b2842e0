// The words of DCP findings that have a file of their own.
#pragma once

#include "analyzer/report/cards.h"

namespace cdcscope::report {

// word_streams.cpp: D20 with D21 and D22, D23, D25 with D23 and D24, D27, D51.
void word_refused(card_draft& d);
void word_rollbacks(card_draft& d);
void word_rollback_loop(card_draft& d);
void word_ended(card_draft& d);
void word_abandoned(card_draft& d);
// word_prepares.cpp: D30.
void word_prepares(card_draft& d);

}  // namespace cdcscope::report
