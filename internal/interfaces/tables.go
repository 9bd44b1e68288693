package interfaces

import (
	"payonce/pipeline/tables"
	"payonce/service/v2/v2fields"
	"payonce/service/v2/v2tables"
)

// TablesOf returns the tables of the interface with a name; nil for one without tables.
func TablesOf(name string) tables.Interface {
	if name == v2fields.Catalogue().Interface {
		return v2tables.Tables{}
	}
	return nil
}
