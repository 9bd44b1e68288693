#!/bin/sh
# Shows one journal for two machines, as "make demo-shared" does. It starts a PostgreSQL and a test service of its own,
# and removes everything at the end. It needs Debian's package postgresql. BATCH is the program.
set -eu
batch=${BATCH:-bin/batch}
list=$(dirname "$0")/demo.csv
ceiling=5.00

postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
if [ -z "$postgres" ]; then
	echo "PostgreSQL is not installed; install Debian's package postgresql" >&2
	exit 1
fi
# PostgreSQL refuses root.
as_user() { "$@"; }
if [ "$(id -u)" = 0 ]; then
	as_user() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
fi

dir=$(mktemp -d)
service=
cleanup() {
	[ -z "$service" ] || kill "$service" 2>/dev/null || true
	(cd / && as_user "$postgres/pg_ctl" stop -D "$dir/db/data" -m immediate >/dev/null 2>&1) || true
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

mkdir -m 700 "$dir/db"
if [ "$(id -u)" = 0 ]; then
	chmod 711 "$dir"
	chown postgres: "$dir/db"
fi
echo "Starting a PostgreSQL that only this user can reach, and a service with made-up data ..."
(
	cd /
	as_user "$postgres/initdb" -D "$dir/db/data" -U batch -A trust -E UTF8 >"$dir/log"
	as_user "$postgres/pg_ctl" start -w -D "$dir/db/data" -l "$dir/db/log" \
		-o "-c listen_addresses='' -c unix_socket_directories='$dir/db'" >>"$dir/log"
)
"$batch" sandbox --listen 127.0.0.1:0 --rate 4/1s >"$dir/service" 2>/dev/null &
service=$!
while ! grep -q SERVICE_API_KEY "$dir/service"; do
	kill -0 "$service" # it ends the script when the service has ended
	sleep 0.1
done
SERVICE_BASE_URL=$(sed -n 's/^sandbox: SERVICE_BASE_URL=//p' "$dir/service")
SERVICE_API_KEY=$(sed -n 's/^sandbox: SERVICE_API_KEY=//p' "$dir/service")
BATCH_JOURNAL="postgres://batch@/postgres?host=$dir/db"
export SERVICE_BASE_URL SERVICE_API_KEY BATCH_JOURNAL

# Anna has the odd rows of the list, and Ben the even ones.
awk -F, 'NR == 1 || !/"/ && $1 ~ /^[0-9]+$/ && $1 % 2 == 1' "$list" >"$dir/anna.csv"
awk -F, 'NR == 1 || !/"/ && $1 ~ /^[0-9]+$/ && $1 % 2 == 0' "$list" >"$dir/ben.csv"
start() {
	"$batch" run "$dir/$1.csv" -o "$dir/$1.out.csv" --name "$1" --fields phone --state "$dir/state-$1" --max-spend "$ceiling" \
		--workspace-monthly "$ceiling" --rate 4/1s --ceiling-ok --quiet --yes --json >"$dir/$1.json"
}
echo "Two people start at the same time, on two state directories. The ceiling of both together is \$$ceiling."
start anna &
anna=$!
start ben &
ben=$!
wait "$anna"
wait "$ben"
for name in anna ben; do
	spent=$(sed -n 's/^  "spent_usd": "\{0,1\}\([0-9.]*\).*/\1/p' "$dir/$name.json")
	echo "$name spent \$$spent; the output has $(($(wc -l <"$dir/$name.out.csv") - 1)) of $(($(wc -l <"$dir/$name.csv") - 1)) rows."
done
echo
echo "What the journal in the database has, read by a third machine:"
"$batch" runs --state "$dir/state-third"
"$batch" budget --offline --state "$dir/state-third"
