//go:build race

package simulation

// slowdown is how much less is simulated under the race detector, which is slow and
// after something else.
const slowdown = 30
