SELECT position, erasures, encode(replica, 'hex'), seq, clock,
    (SELECT string_agg(encode(hash, 'hex'), ' ') FROM unnest(newest) AS hash),
    lineage,
    (SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
FROM kenning.heads
