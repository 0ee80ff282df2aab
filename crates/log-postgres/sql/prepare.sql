CREATE SCHEMA IF NOT EXISTS kenning;
CREATE TABLE IF NOT EXISTS kenning.migrations (
    version integer PRIMARY KEY,
    applied timestamptz NOT NULL DEFAULT now()
);
