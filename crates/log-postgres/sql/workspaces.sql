SELECT name, (extract(epoch FROM created) * 1000)::bigint, coalesce(position, 0),
    coalesce((SELECT sum(bytes) FROM kenning.batches WHERE batches.workspace = workspaces.workspace), 0)::bigint
FROM kenning.workspaces LEFT JOIN kenning.heads USING (workspace)
ORDER BY name
