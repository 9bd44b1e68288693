package report

import (
	"payonce/enrich"
	"payonce/service/v1/v1fields"
)

// Catalogue returns the catalogue of the interface whose results are shown.
func Catalogue() enrich.Catalogue { return v1fields.Catalogue() }
