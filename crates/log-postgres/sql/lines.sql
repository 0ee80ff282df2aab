SELECT position, line FROM kenning.events WHERE position > $1 AND position <= $2 ORDER BY position, number
