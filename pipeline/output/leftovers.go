package output

import (
	"payonce/checkpoint/record"
	"payonce/io/atomicfile"
	"payonce/io/listfile"
)

// RemoveLeftovers removes what killed processes left beside the outputs of runs: files with values
// that were found. It leaves what another process is writing. A file that cannot be removed is left
// for the next start.
func RemoveLeftovers(runs []record.Run) {
	seen := map[string]bool{"": true, listfile.Standard: true}
	for _, run := range runs {
		if !seen[run.Output] {
			seen[run.Output] = true
			_, _ = atomicfile.RemoveLeftovers(run.Output)
		}
	}
}
