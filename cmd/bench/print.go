package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// heading are the columns of the table of results.
const heading = `| work | by | wall | CPU | peak | wall of batch over it | to reach | CPU of batch over it |
|---|---|---|---|---|---|---|---|
`

// printRows prints the lines of a work in the table.
func printRows(w io.Writer, name string, results []result) error {
	for i, r := range results {
		wallRatio, cpuRatio := "", ""
		if i > 0 {
			name = ""
			wallRatio, cpuRatio = ratiosOf(results[0], r, wallOf).String(), ratiosOf(results[0], r, cpuOf).String()
		}
		cells := []string{
			name, r.name, seconds(medianOf(r.rounds, wallOf)), seconds(medianOf(r.rounds, cpuOf)), megabytes(medianOf(r.rounds, peakOf)),
			wallRatio, r.reach, cpuRatio,
		}
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")); err != nil {
			return err
		}
	}
	return nil
}

// printFound prints what the contestants of a work found, one below the other.
func printFound(w io.Writer, name string, results []result) error {
	for _, r := range results {
		if r.parse == nil {
			continue
		}
		if _, err := fmt.Fprintf(w, "- %s, %s: %s\n", name, r.name, r.found); err != nil {
			return err
		}
	}
	return nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// megabytes are 2^20 bytes, as in the program's own flags.
func megabytes(bytes int64) string { return fmt.Sprintf("%d MB", (bytes+1<<19)>>20) }
