-- The version of the tables: the number of the last file of migrations that ran.
CREATE TABLE payonce_schema (
	version integer NOT NULL CHECK (version > 0)
);
CREATE UNIQUE INDEX payonce_schema_one ON payonce_schema ((true)); -- it has one row
INSERT INTO payonce_schema VALUES (2);
