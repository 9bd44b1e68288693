package sandbox

import (
	"errors"

	"payonce/io/sandbox/kit"
)

// The ledger of a sandbox in the directory of a journal names nobody: where an identity or what a call was about would
// stand, there is a hash of it with a key.

// ConcealWith makes the ledger keep hashes.
func (c *Config) ConcealWith(key []byte) {
	c.Conceal = kit.Concealing(key)
}

// ConcealLedger replaces what earlier versions kept in the ledger as it was. No process may have it open.
func ConcealLedger(path string, key []byte) error {
	conceal := kit.Concealing(key)
	return errors.Join(kit.Conceal(path, "identity", conceal), kit.Conceal(path+v2Ending, "about", conceal))
}

// v2Ending is the ending of the ledger of the second interface.
const v2Ending = ".v2"
