package conformance_test

import (
	"testing"

	"payonce/io/conformance"
)

// TestConformance plays the cases in every way, over real HTTP; TestClientsWaitForAHangingServiceUntilTheTimeout plays
// the others.
func TestConformance(t *testing.T) {
	for _, way := range conformance.Ways() {
		if testing.Short() && way.Name == "MCP" {
			continue // MCP with events in sessions has more goroutines that work together
		}
		t.Run(way.Name, func(t *testing.T) {
			for _, c := range conformance.Cases() {
				if !c.Plays(way) || c.Hangs() {
					continue
				}
				t.Run(c.Name, func(t *testing.T) {
					t.Parallel()
					if err := conformance.Play(t.Context(), loopback{}, way, c); err != nil {
						t.Errorf("%s: %s:\n%v", c.Section, c.Text, err)
					}
				})
			}
		})
	}
}
