-- $3: the most bytes there may be; $4: how many a rolling list may have before its oldest lines go, none for other lists.
INSERT INTO kenning.records AS known (workspace, path, bytes, written)
VALUES (kenning.current_workspace(), $1, $2, clock_timestamp())
ON CONFLICT (workspace, path) DO UPDATE SET
    bytes = CASE
        WHEN octet_length(known.bytes) > $4 THEN substring(
            known.bytes FROM octet_length(known.bytes) - $4 + 1
                + position('\x0a'::bytea IN substring(known.bytes FROM octet_length(known.bytes) - $4 + 1)))
        ELSE known.bytes
    END || excluded.bytes,
    written = excluded.written
WHERE $4 IS NOT NULL OR octet_length(known.bytes) + octet_length(excluded.bytes) <= $3
