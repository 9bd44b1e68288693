// Command bench compares whole runs of batch with what people use today, in turns on
// the same lists: DuckDB, Miller, a loop over encoding/csv, and a loop that does nothing
// but copy. It prints a table for docs/benchmarks.md.
//
// It starts itself for the loops and for the journal that is written from, so that
// everything that is measured runs in a separate process.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: "+err.Error())
		os.Exit(1)
	}
}

// run measures, or does the task that the arguments name.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		if task, found := tasks()[args[0]]; found {
			return task(ctx, args[1:], stdout)
		}
	}
	options, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	return measureAll(ctx, options, stdout, stderr)
}

// options say what is measured.
type options struct {
	rows    int
	pairs   int // how often everything runs
	threads int
	cache   string // the folder of the lists, programs and journals
	only    *regexp.Regexp
}

// leastRows is the shortest list that is measured: growth is shown by a tenth of it.
const leastRows = 1000

func parseOptions(args []string, stderr io.Writer) (options, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	only := ""
	flags.IntVar(&o.rows, "rows", 10_000_000, "the rows of the list, `N`")
	flags.IntVar(&o.pairs, "pairs", 5, "how often everything runs, `N`")
	flags.IntVar(&o.threads, "threads", 2, "the threads of batch, of DuckDB and of the loops, `N`")
	flags.StringVar(&o.cache, "cache", "dist/bench", "the `FOLDER` of lists, programs and journals; what is there is used again")
	flags.StringVar(&only, "only", "", "measure only works whose names match this `PATTERN`")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	var err error
	o.only, err = regexp.Compile(only)
	switch {
	case err != nil:
		return o, fmt.Errorf("-only: %w", err)
	case flags.NArg() > 0:
		return o, fmt.Errorf("%q is not a flag; see -help", flags.Arg(0))
	case o.rows < leastRows:
		return o, fmt.Errorf("-rows %d: choose at least %d", o.rows, leastRows)
	case o.pairs < 1 || o.threads < 1:
		return o, fmt.Errorf("-pairs %d -threads %d: choose at least 1", o.pairs, o.threads)
	}
	return o, nil
}
