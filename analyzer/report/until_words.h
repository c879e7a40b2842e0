// What a report of --until says of the end.
#pragma once

#include "analyzer/report/model.h"

namespace cdcscope::report {

// The state machines stopped at --until: cards, findings and conditions that speak of the end of
// the capture speak of that time instead. After make_cards.
void say_until(model& m);

}  // namespace cdcscope::report
