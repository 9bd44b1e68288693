-- What roles may not do that have no right to truncate the records: erase, or change what was paid for.

-- The members of a resolution without its charge, which a correction changes.
CREATE OR REPLACE FUNCTION payonce_without_charge(value bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	at integer := 1; -- behind the version
	start integer;
	tag bigint;
	size bigint;
	rest bytea := substring(value FROM 1 FOR 1);
BEGIN
	WHILE at < length(value) LOOP
		start := at;
		SELECT number, next INTO tag, at FROM payonce_number(value, at);
		CASE tag & 7
			WHEN 0 THEN SELECT next INTO at FROM payonce_number(value, at);
			WHEN 1 THEN at := at + 8;
			WHEN 2 THEN
				SELECT number, next INTO size, at FROM payonce_number(value, at);
				at := at + size;
			WHEN 5 THEN at := at + 4;
		END CASE;
		IF tag >> 3 <> 7 THEN
			rest := rest || substring(value FROM start + 1 FOR at - start);
		END IF;
	END LOOP;
	RETURN rest;
END $$;

-- A number of variable length, and where it ends.
CREATE OR REPLACE FUNCTION payonce_number(value bytea, at integer, OUT number bigint, OUT next integer) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	shift integer := 0;
	part integer;
BEGIN
	number := 0;
	next := at;
	LOOP
		part := get_byte(value, next);
		next := next + 1;
		number := number | ((part & 127)::bigint << shift);
		shift := shift + 7;
		EXIT WHEN part < 128;
	END LOOP;
END $$;

CREATE OR REPLACE FUNCTION payonce_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NOT has_table_privilege(current_user, TG_RELID, 'TRUNCATE') THEN
		IF TG_OP = 'DELETE' OR OLD.key <> NEW.key OR OLD.workspace <> NEW.workspace OR get_byte(OLD.key, 0) <> ascii('r') OR payonce_without_charge(OLD.value) <> payonce_without_charge(NEW.value) THEN
			RAISE insufficient_privilege USING MESSAGE = format('the role %s may not erase records, or change what was paid for', current_user);
		END IF;
	END IF;
	IF TG_OP = 'DELETE' THEN
		RETURN OLD;
	END IF;
	RETURN NEW;
END $$;

-- Runs remove only marks of open calls, old occurrences of jobs, and alerts.
CREATE TRIGGER payonce_keep_rows BEFORE DELETE ON payonce_record FOR EACH ROW
	WHEN (get_byte(OLD.key, 0) NOT IN (ascii('o'), ascii('j'), ascii('k'), ascii('n')))
	EXECUTE FUNCTION payonce_keep();
-- Of calls, of doubts and of the journal's identity nothing changes, and of resolutions only the charge.
CREATE TRIGGER payonce_keep_values BEFORE UPDATE ON payonce_record FOR EACH ROW
	WHEN (OLD.value IS DISTINCT FROM NEW.value AND (get_byte(OLD.key, 0) IN (ascii('a'), ascii('d'), ascii('r')) OR OLD.key = 'mjournal')
		OR OLD.key <> NEW.key OR OLD.workspace <> NEW.workspace)
	EXECUTE FUNCTION payonce_keep();
