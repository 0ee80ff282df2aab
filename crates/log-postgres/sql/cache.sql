-- SQLite: what a node keeps of a log beside its index.
CREATE TABLE batches(at INTEGER PRIMARY KEY, own INTEGER NOT NULL, continues INTEGER);
CREATE TABLE lines(hash BLOB PRIMARY KEY, at INTEGER NOT NULL, number INTEGER NOT NULL, entry BLOB, own INTEGER NOT NULL, line TEXT NOT NULL);
