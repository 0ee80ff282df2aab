-- Who did what: every write through a server, and every call that was denied. A node adds records and reads none.

CREATE TABLE kenning.audit (
    workspace bigint NOT NULL REFERENCES kenning.workspaces,
    number bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Who is credited, and the name of the token that the call came with.
    who text,
    token text,
    door text NOT NULL,
    verb text NOT NULL,
    entry text,
    outcome text NOT NULL,
    address inet,
    PRIMARY KEY (workspace, number)
);
CREATE INDEX audit_by_time ON kenning.audit (workspace, at);

ALTER TABLE kenning.audit ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_workspace ON kenning.audit FOR INSERT TO kenning_node WITH CHECK (workspace = kenning.current_workspace());
GRANT INSERT ON kenning.audit TO kenning_node;
