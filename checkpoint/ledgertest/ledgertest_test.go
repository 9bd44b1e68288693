package ledgertest

import "testing"

func TestTheLedgerOfRowsPassesTheConformanceSuite(t *testing.T) { Run(t, Rows) }
