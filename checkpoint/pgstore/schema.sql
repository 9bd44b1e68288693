-- The tables of shared journals. Every statement may run again.

-- A process locks the row of its workspace while it decides.
CREATE TABLE IF NOT EXISTS payonce_workspace (
	workspace text COLLATE "C" PRIMARY KEY CHECK (workspace <> ''),
	version bigint NOT NULL DEFAULT 0 CHECK (version >= 0), -- of the last commit
	epochs bigint NOT NULL DEFAULT 0 CHECK (epochs >= 0) -- how many processes have opened the journal
);

CREATE TABLE IF NOT EXISTS payonce_record (
	workspace text COLLATE "C" NOT NULL,
	key bytea NOT NULL CHECK (length(key) > 0),
	value bytea NOT NULL CHECK (length(value) > 0),
	version bigint NOT NULL CHECK (version > 0), -- of the last commit that wrote it
	PRIMARY KEY (workspace, key)
);
CREATE INDEX IF NOT EXISTS payonce_record_version ON payonce_record (workspace, version);

-- The processes that may write. Each has a lease, which it renews.
CREATE TABLE IF NOT EXISTS payonce_process (
	workspace text COLLATE "C" NOT NULL,
	epoch bigint NOT NULL CHECK (epoch > 0),
	holder text NOT NULL,
	lease interval NOT NULL CHECK (lease > interval '0'),
	call_time interval NOT NULL CHECK (call_time >= interval '0'), -- the longest time of one of its calls
	started timestamptz NOT NULL,
	seen timestamptz NOT NULL CHECK (seen >= started), -- when it last renewed its lease
	ended timestamptz, -- when it closed the journal, or another process ended its epoch
	token bytea, -- names its last commit
	PRIMARY KEY (workspace, epoch)
);

-- Fields that were paid for, or may have been: a second protection against paying twice.
CREATE TABLE IF NOT EXISTS payonce_paid (
	workspace text COLLATE "C" NOT NULL,
	subject bytea NOT NULL CHECK (length(subject) = 16),
	field smallint NOT NULL CHECK (field BETWEEN 0 AND 63),
	observed bytea NOT NULL DEFAULT '', -- names the observed changes that allowed the call; empty for none
	attempt bigint NOT NULL CHECK (attempt > 0),
	settled boolean NOT NULL DEFAULT false,
	PRIMARY KEY (workspace, subject, field, observed)
);
CREATE INDEX IF NOT EXISTS payonce_paid_attempt ON payonce_paid (workspace, attempt);
