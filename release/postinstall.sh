#!/bin/sh
# Creates the user of the systemd units. Without systemd the units are not used.
set -e
if command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers ${DPKG_ROOT:+--root="$DPKG_ROOT"} payonce.conf
fi
if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
