INSERT INTO kenning.records (workspace, path, bytes, written) VALUES (kenning.current_workspace(), $1, $2, clock_timestamp())
ON CONFLICT (workspace, path) DO UPDATE SET bytes = excluded.bytes, written = excluded.written
