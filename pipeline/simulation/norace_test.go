//go:build !race

package simulation

// slowdown is how much less is simulated under the race detector.
const slowdown = 1
