#!/bin/sh
# After a removal or an upgrade systemd forgets the units that are gone. Journals and keys stay.
set -e
if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
