SELECT line FROM kenning.events WHERE hash = $1
