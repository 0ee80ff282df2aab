-- The log of each workspace, its head, its small state, and what the role of a node may do with them.

DO $$
BEGIN
    CREATE ROLE kenning_node NOLOGIN NOBYPASSRLS;
EXCEPTION
    -- Another database of this server has it, or is making it now.
    WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

CREATE TABLE kenning.workspaces (
    workspace bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    created timestamptz NOT NULL DEFAULT now()
);

-- Where each log ends. A writer locks this row, moves it and adds its batches in one transaction: positions have no gaps and become
-- visible in their order, so that a reader that asks for what is behind a position misses nothing.
CREATE TABLE kenning.heads (
    workspace bigint PRIMARY KEY REFERENCES kenning.workspaces,
    position bigint NOT NULL DEFAULT 0,
    -- How many events were replaced by their stubs: a node whose copy was made before begins anew.
    erasures bigint NOT NULL DEFAULT 0,
    -- The name that the workspace writes under, the last number and clock it used, and its newest events.
    replica bytea NOT NULL CHECK (octet_length(replica) = 6),
    seq bigint NOT NULL DEFAULT 0,
    clock bigint NOT NULL,
    newest bytea[] NOT NULL DEFAULT '{}',
    -- The server and its timeline when this was last written: on another one the last number is not known, and the name is left.
    lineage text NOT NULL DEFAULT ''
);

CREATE TABLE kenning.batches (
    workspace bigint NOT NULL REFERENCES kenning.workspaces,
    position bigint NOT NULL,
    -- The name that appended it; none where it was received from elsewhere.
    replica bytea CHECK (octet_length(replica) = 6),
    -- The first number of the command that it goes on with.
    continues bigint,
    -- How long its lines were together when they were written.
    bytes bigint NOT NULL,
    PRIMARY KEY (workspace, position)
);

CREATE TABLE kenning.events (
    workspace bigint NOT NULL,
    position bigint NOT NULL,
    number integer NOT NULL,
    hash bytea NOT NULL CHECK (octet_length(hash) = 20),
    -- The bytes as they were written: the hash is over them.
    line text NOT NULL,
    PRIMARY KEY (workspace, position, number),
    UNIQUE (workspace, hash),
    FOREIGN KEY (workspace, position) REFERENCES kenning.batches
);

-- Which events the purge events of a log name.
CREATE TABLE kenning.purges (
    workspace bigint NOT NULL REFERENCES kenning.workspaces,
    hash bytea NOT NULL CHECK (octet_length(hash) = 20),
    said_in bytea NOT NULL,
    PRIMARY KEY (workspace, hash, said_in),
    FOREIGN KEY (workspace, said_in) REFERENCES kenning.events (workspace, hash)
);

-- Small state: records by kind and name.
CREATE TABLE kenning.records (
    workspace bigint NOT NULL REFERENCES kenning.workspaces,
    path text COLLATE "C" NOT NULL,
    bytes bytea NOT NULL,
    written timestamptz NOT NULL,
    PRIMARY KEY (workspace, path)
);

-- The workspace of the transaction. None where nobody named one: then no row of any table is there.
CREATE FUNCTION kenning.current_workspace() RETURNS bigint
LANGUAGE sql STABLE
RETURN NULLIF(current_setting('kenning.workspace', true), '')::bigint;

-- A workspace by its name. A node learns no other names.
CREATE FUNCTION kenning.workspace_of(wanted text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN (SELECT workspace FROM kenning.workspaces WHERE name = wanted);

-- Replaces the line of an event by its stub: the only change of a line there is. A stub has no room for words.
CREATE FUNCTION kenning.erase(erased bytea, stub text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own CONSTANT bigint := kenning.current_workspace();
BEGIN
    PERFORM FROM kenning.heads WHERE workspace = own FOR UPDATE;
    IF NOT EXISTS (SELECT FROM kenning.purges WHERE workspace = own AND hash = erased) THEN
        RAISE insufficient_privilege USING MESSAGE = format('no purge names event %s; it is kept', encode(erased, 'hex'));
    END IF;
    IF stub !~ ('^\{"hash":"' || encode(erased, 'hex')
        || '","parents":\[("[0-9a-f]{40}"(,"[0-9a-f]{40}")*)?\],"purged":true,"replica":"[0-9a-f]{12}","seq":[0-9]+\}$') THEN
        RAISE insufficient_privilege USING MESSAGE = format('what shall be left of event %s is no stub of it', encode(erased, 'hex'));
    END IF;
    UPDATE kenning.events SET line = stub WHERE workspace = own AND hash = erased AND line <> stub;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE kenning.heads SET erasures = erasures + 1 WHERE workspace = own;
    RETURN true;
END
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['heads', 'batches', 'events', 'purges', 'records'] LOOP
        EXECUTE format('ALTER TABLE kenning.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY of_workspace ON kenning.%I TO kenning_node
                 USING (workspace = kenning.current_workspace()) WITH CHECK (workspace = kenning.current_workspace())',
            name);
    END LOOP;
    -- No policy: nobody but the owner sees the list.
    ALTER TABLE kenning.workspaces ENABLE ROW LEVEL SECURITY;
END
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA kenning FROM PUBLIC;
GRANT USAGE ON SCHEMA kenning TO kenning_node;
GRANT SELECT ON kenning.migrations TO kenning_node;
GRANT SELECT, INSERT ON kenning.batches, kenning.events, kenning.purges TO kenning_node;
GRANT SELECT, UPDATE (position, replica, seq, clock, newest, lineage) ON kenning.heads TO kenning_node;
GRANT SELECT, INSERT, UPDATE, DELETE ON kenning.records TO kenning_node;
GRANT EXECUTE ON FUNCTION kenning.current_workspace(), kenning.workspace_of(text), kenning.erase(bytea, text) TO kenning_node;
