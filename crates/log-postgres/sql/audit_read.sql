SELECT number, (extract(epoch FROM at) * 1000)::bigint, who, token, door, verb, entry, outcome, host(address)
FROM kenning.audit
WHERE workspace = kenning.workspace_of($1) AND number > $2 AND at >= to_timestamp($3::double precision / 1000)
ORDER BY number LIMIT $4
