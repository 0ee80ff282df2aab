WITH made AS (INSERT INTO kenning.workspaces (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING workspace)
INSERT INTO kenning.heads (workspace, replica, clock) SELECT workspace, $2, $3 FROM made
