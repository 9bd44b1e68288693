#!/bin/sh
# Creates the user of the systemd units. Without systemd the units are not used.
set -e
if command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers payonce.conf
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
