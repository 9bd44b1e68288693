#!/bin/sh
# Before a removal this stops the jobs and disables their timers. A run drains: lookups in flight end, and its output
# is written. An upgrade changes nothing. Debian gives "remove" or "upgrade", Red Hat the number of versions left.
set -e
case "$1" in
remove | 0) ;;
*) exit 0 ;;
esac
if command -v systemctl >/dev/null 2>&1; then
	if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
		# First the timers: they would start the jobs again.
		systemctl stop 'payonce-job@*.timer' || true
		systemctl stop 'payonce-job@*.service' || true
	fi
	# The template stands for all its instances.
	systemctl --root="${DPKG_ROOT:-/}" disable payonce-job@.timer || true
fi
