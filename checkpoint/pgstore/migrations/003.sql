-- What shows that a server lacks commits that were confirmed.

ALTER TABLE payonce_workspace
	ADD COLUMN journal uuid NOT NULL DEFAULT gen_random_uuid(), -- no two journals have the same
	ADD COLUMN failovers bigint NOT NULL DEFAULT 0 CHECK (failovers >= 0), -- how many a user has accepted
	ADD COLUMN server text NOT NULL DEFAULT '', -- the system identifier and the timeline on which calls may be made
	ADD COLUMN last_epoch bigint NOT NULL DEFAULT 0, -- of the process that made the last commit, 0 for none
	ADD COLUMN last_nonce bytea NOT NULL DEFAULT '';
UPDATE payonce_workspace SET server = (SELECT system_identifier FROM pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8);

-- The rows of processes stay: they show which commits there are.
ALTER TABLE payonce_process
	ADD COLUMN nonce bytea NOT NULL DEFAULT '', -- tells it from a process that had the same epoch in what was lost
	ADD COLUMN committed bigint NOT NULL DEFAULT 0; -- the version of its last commit
CREATE INDEX payonce_process_live ON payonce_process (workspace) WHERE ended IS NULL;
