CREATE INDEX IF NOT EXISTS lines_by_entry ON lines(entry) WHERE entry IS NOT NULL;
CREATE INDEX IF NOT EXISTS lines_by_place ON lines(at, number);
