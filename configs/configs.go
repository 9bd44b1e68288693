// Package configs holds the configuration that ships with the program: the rate
// card and the example configuration files, embedded, and the reader and the writer
// of a user's own rate card.
package configs

import (
	_ "embed"

	"payonce/cost"
)

const defaultName = "ratecard.yaml"

//go:embed ratecard.yaml
var defaultCard []byte

// RateCard returns the rate card of the service (specification v1, "Allowances
// and rate card").
func RateCard() (cost.RateCard, error) { return ParseRateCard(defaultName, defaultCard) }
