package jobs

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestDatabaseErrorsHideValuesWithQuotes of its own.
func TestDatabaseErrorsHideValuesWithQuotes(t *testing.T) {
	failed := &pgconn.PgError{Code: "22P02", Message: "invalid input syntax for type integer: \"Zoë \"Secret\"\nLi\""}
	if got := (ListQuery{}).explain(failed, "").Error(); got != `invalid input syntax for type integer: "…" (22P02)` {
		t.Error(got)
	}
}
