SELECT path, (extract(epoch FROM written) * 1000)::bigint FROM kenning.records WHERE starts_with(path, $1) ORDER BY path
