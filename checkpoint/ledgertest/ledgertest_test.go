package ledgertest

import "testing"

func TestALedgerOfRowsConforms(t *testing.T) { Run(t, Rows) }
