// Package scan reads a list and finds out who needs what: which rows are complete, which name somebody, which
// name the same subject, what the journal knows of them, and which lookups are left to send.
package scan
