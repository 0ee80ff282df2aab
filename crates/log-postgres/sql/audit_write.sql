INSERT INTO kenning.audit (workspace, who, token, door, verb, entry, outcome, address)
VALUES (kenning.current_workspace(), $1, $2, $3, $4, $5, $6, $7)
