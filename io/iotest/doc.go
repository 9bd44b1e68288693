// Package iotest has what the tests of several packages share: a user without the rights of root, a PostgreSQL
// server, programs at terminals, networks in memory, and services whose responses are changed.
package iotest
