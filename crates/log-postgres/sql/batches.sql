SELECT position, replica, continues, bytes FROM kenning.batches WHERE position > $1 ORDER BY position LIMIT $2
