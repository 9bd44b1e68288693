package provider

import (
	"payonce/io/service/v2"
	"payonce/pipeline/output"
)

// TablesOf returns the tables of the interface with a name; nil for one without tables.
func TablesOf(name string) output.TableInterface {
	if name == v2.Catalogue().Interface {
		return v2.Tables{}
	}
	return nil
}
