-- The tables of shared journals.

-- The row of a workspace is locked by whoever decides.
CREATE TABLE payonce_workspace (
	workspace text COLLATE "C" PRIMARY KEY CHECK (workspace <> ''),
	version bigint NOT NULL DEFAULT 0 CHECK (version >= 0), -- of the last commit
	epochs bigint NOT NULL DEFAULT 0 CHECK (epochs >= 0) -- how many processes have opened the journal
);

CREATE TABLE payonce_record (
	workspace text COLLATE "C" NOT NULL,
	key bytea NOT NULL CHECK (length(key) > 0),
	value bytea NOT NULL CHECK (length(value) > 0),
	version bigint NOT NULL CHECK (version > 0), -- of the commit that wrote it last
	PRIMARY KEY (workspace, key)
);
CREATE INDEX payonce_record_version ON payonce_record (workspace, version);

-- The processes that may write. Each has a lease, which it renews.
CREATE TABLE payonce_process (
	workspace text COLLATE "C" NOT NULL,
	epoch bigint NOT NULL CHECK (epoch > 0),
	holder text NOT NULL,
	lease interval NOT NULL CHECK (lease > interval '0'),
	call_time interval NOT NULL CHECK (call_time >= interval '0'), -- the longest that one of its calls takes
	started timestamptz NOT NULL,
	seen timestamptz NOT NULL CHECK (seen >= started), -- when it renewed its lease last
	ended timestamptz, -- when it closed the journal, or another process gave it up
	token bytea, -- names its last commit
	PRIMARY KEY (workspace, epoch)
);

-- What was paid for, or may have been: a second defence against paying twice.
CREATE TABLE payonce_paid (
	workspace text COLLATE "C" NOT NULL,
	subject bytea NOT NULL CHECK (length(subject) = 16),
	field smallint NOT NULL CHECK (field BETWEEN 0 AND 63),
	allowed_by bytea NOT NULL DEFAULT '', -- the observed change or the lost charge that allows it; empty for the first time
	attempt bigint NOT NULL CHECK (attempt > 0),
	settled boolean NOT NULL DEFAULT false,
	PRIMARY KEY (workspace, subject, field, allowed_by)
);
CREATE INDEX payonce_paid_attempt ON payonce_paid (workspace, attempt);
