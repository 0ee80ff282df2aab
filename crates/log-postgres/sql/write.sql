WITH batch AS (
    INSERT INTO kenning.batches (workspace, position, replica, continues, bytes)
    SELECT kenning.current_workspace(), new.* FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bigint[]) AS new
), event AS (
    INSERT INTO kenning.events (workspace, position, number, hash, line)
    SELECT kenning.current_workspace(), new.* FROM unnest($5::bigint[], $6::integer[], $7::bytea[], $8::text[]) AS new
), purge AS (
    INSERT INTO kenning.purges (workspace, hash, said_in)
    SELECT DISTINCT kenning.current_workspace(), new.* FROM unnest($9::bytea[], $10::bytea[]) AS new
)
UPDATE kenning.heads
SET position = $11, replica = $12, seq = $13, clock = $14, newest = $15, lineage = $16
WHERE workspace = kenning.current_workspace() AND position = $17
