// Does one task with DuckDB and ends: node peer.mjs TASK THREADS LIST [OUTPUT]
//
//   plan   counts what a plan of batch counts: rows, filled ones, those that name nobody,
//          and the persons that the others name, in whatever spelling
//   light  counts rows, filled cells, and the persons as they are spelt
//   copy   writes the table as Parquet with zstd
import { DuckDBInstance } from '@duckdb/node-api';

const [task, threads, list, output] = process.argv.slice(2);
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

// Nothing but text is wanted of a CSV, so that no types have to be found and parsed.
const source = list.endsWith('.parquet')
  ? `read_parquet(${quoted(list)})`
  : `read_csv(${quoted(list)}, header = true, all_varchar = true)`;

// One regular expression for each address is the fastest of what was tried: two that
// replace, and chains of replace and split_part, take longer. lower() leaves the
// Greek final sigma as it is, which batch takes for the letter that it is.
const plan = `
  WITH cleaned AS (
    SELECT email, phone, lower(trim(linkedin_url)) AS profile, lower(trim(website)) AS site, lower(trim(company)) AS company,
      replace(lower(trim(first_name)), 'ς', 'σ') AS first, replace(lower(trim(last_name)), 'ς', 'σ') AS last
    FROM ${source}
  ), identified AS (
    SELECT email, phone, coalesce(
      rtrim(regexp_extract(profile, '^(https?://)?(www\\.)?([^?#]*)', 3), '/'),
      first || '|' || last || '|' || coalesce(regexp_extract(site, '^(https?://)?(www\\.)?([^/?#]*)', 3), company)
    ) AS person
    FROM cleaned
  )
  SELECT count(*) AS rows, count(email) AS emails, count(phone) AS phones,
    count(*) FILTER (email IS NOT NULL AND phone IS NOT NULL) AS filled,
    count(*) FILTER (person IS NULL AND (email IS NULL OR phone IS NULL)) AS unidentifiable,
    count(DISTINCT person) FILTER (email IS NULL OR phone IS NULL) AS persons
  FROM identified`;

const light = `
  SELECT count(*) AS rows, count(email) AS emails, count(phone) AS phones,
    count(DISTINCT coalesce(linkedin_url, first_name || '|' || last_name || '|' || coalesce(website, company))) AS persons
  FROM ${source}`;

const copy = `COPY (SELECT * FROM ${source}) TO ${quoted(output ?? '')} (FORMAT parquet, COMPRESSION zstd)`;

const statement = { plan, light, copy }[task];
if (!statement) throw new Error(`there is no task ${task}`);
const instance = await DuckDBInstance.create(':memory:', { threads });
const connection = await instance.connect();
const reader = await connection.runAndReadAll(statement);
if (task !== 'copy') {
  const counts = Object.entries(reader.getRowObjects()[0]).map(([name, count]) => [name, Number(count)]);
  console.log(JSON.stringify(Object.fromEntries(counts)));
}
