-- What shows whether a process may still send calls.

ALTER TABLE payonce_process
	ADD COLUMN machine text NOT NULL DEFAULT '', -- where it runs; empty when that is not known
	ADD COLUMN boot text NOT NULL DEFAULT '', -- the start of that machine's system
	ADD COLUMN lock_file text NOT NULL DEFAULT '', -- the file that it has locked as long as it lives
	ADD COLUMN arrived timestamptz; -- from when on none of its calls can arrive any more; NULL while it may send some
UPDATE payonce_process SET arrived = ended;
CREATE INDEX payonce_process_arrived ON payonce_process (workspace, arrived);
