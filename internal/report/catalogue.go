package report

import (
	"payonce/enrich"
	"payonce/service/v1/v1fields"
)

// catalogue returns the catalogue of the interface whose results are shown.
func catalogue() enrich.Catalogue { return v1fields.Catalogue() }
