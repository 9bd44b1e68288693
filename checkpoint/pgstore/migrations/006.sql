-- Encrypted values.

ALTER TABLE payonce_workspace
	ADD COLUMN encryption bytea NOT NULL DEFAULT ''; -- a salt, and a value that shows whether a key is the right one; empty for no encryption

-- An encrypted resolution has two parts. The first one is without the charge, and the same for the same content.
CREATE OR REPLACE FUNCTION payonce_without_charge(value bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	at integer := 1; -- behind the version
	start integer;
	tag bigint;
	size bigint;
	rest bytea := substring(value FROM 1 FOR 1);
BEGIN
	IF get_byte(value, 0) = 225 THEN
		IF length(value) < 5 THEN
			RETURN value;
		END IF;
		size := (get_byte(value, 1)::bigint << 24) + (get_byte(value, 2) << 16) + (get_byte(value, 3) << 8) + get_byte(value, 4);
		IF size > length(value) - 5 THEN
			RETURN value;
		END IF;
		RETURN substring(value FROM 1 FOR 5 + size::integer);
	END IF;
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
