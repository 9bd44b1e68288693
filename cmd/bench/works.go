package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// measureAll measures every work and prints the table, and what was found.
func measureAll(ctx context.Context, o options, stdout, log io.Writer) error {
	s, err := newSetup(ctx, o, log)
	if err != nil {
		return err
	}
	if err := s.makeLists(ctx); err != nil {
		return err
	}
	var table, found strings.Builder
	for _, w := range s.works() {
		if !o.only.MatchString(w.name) {
			continue
		}
		if w.prepare != nil {
			if err := w.prepare(ctx); err != nil {
				return err
			}
		}
		results, err := w.measure(ctx, o.pairs, o.threads, log)
		if err != nil {
			return err
		}
		if err := printRows(&table, w.name, results); err != nil {
			return err
		}
		if err := printFound(&found, w.name, results); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, "%s%s%s\n%s", s.about(), heading, table.String(), found.String())
	return err
}

// about says what was measured, and how.
func (s *setup) about() string {
	size := ""
	if info, err := os.Stat(s.list(s.rows, ".csv")); err == nil {
		size = fmt.Sprintf(" (%.2f GB of CSV)", float64(info.Size())/1e9)
	}
	return fmt.Sprintf("%d rows%s, seed 1; medians of %d rounds in which all take turns, each a process of its own on %d threads of %d cores; %s, %s/%s.\n"+
		"The ratios are medians of those of the rounds, with the least and the most. "+
		"What is to be reached is meant for 10 million rows. MB are 2^20 bytes.\n\n",
		s.rows, size, s.pairs, s.threads, runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// works returns all that is measured.
func (s *setup) works() []work {
	return []work{s.planCSV(), s.planParquet(), s.growth(), s.writeCSV(), s.writeParquet(), s.writeCSVAsParquet()}
}

func (s *setup) planCSV() work {
	list := s.list(s.rows, ".csv")
	w := work{
		name: "plan of CSV", ours: s.plan("batch", list), prepare: s.warming(list),
		peers: []contestant{
			s.duckPlan(list, "≤ 0.25"), s.duckLight(list),
			{name: "encoding/csv and a map", command: command{s.self, "csv-count", list}, parse: countsOf, exact: true},
		},
	}
	w.ours.reach = "peak ≤ 350 MB"
	miller, err := exec.LookPath("mlr")
	if err != nil {
		fmt.Fprintln(s.log, "Miller is left out: there is no mlr on the PATH (Debian's package is miller)")
		return w
	}
	w.peers = append(w.peers, contestant{name: "Miller, spelling as it is", command: command{
		miller, "--icsv", "--ojson", "count-distinct", "-n", "-f", "linkedin_url,first_name,last_name,company,website", list,
	}})
	return w
}

func (s *setup) planParquet() work {
	list := s.list(s.rows, ".parquet")
	w := work{
		name: "plan of Parquet", ours: s.plan("batch", list), prepare: s.warming(list),
		peers: []contestant{s.duckPlan(list, "≤ 0.42"), s.duckLight(list)},
	}
	w.ours.reach = "peak ≤ 350 MB"
	return w
}

// growth compares a plan with that of a tenth of the rows.
func (s *setup) growth() work {
	list, tenth := s.list(s.rows, ".csv"), s.list(s.rows/10, ".csv")
	peer := s.plan("batch, a tenth of the rows", tenth)
	peer.reach = "≤ 11"
	return work{name: "growth of a plan", ours: s.plan("batch", list), peers: []contestant{peer}, prepare: s.warming(list, tenth)}
}

func (s *setup) writeCSV() work {
	list, out := s.list(s.rows, ".csv"), s.cached("out.csv")
	return work{
		name: "write CSV", ours: s.write(out), prepare: s.answered(list),
		peers: []contestant{
			{name: "copy loop with batch's scanner", command: command{s.self, "copy", list, out}, output: out, reach: "≤ 1.30"},
			{name: "copy loop with encoding/csv", command: command{s.self, "csv-copy", list, out}, output: out, reach: "≤ 0.33"},
		},
	}
}

func (s *setup) writeParquet() work {
	list, out := s.list(s.rows, ".parquet"), s.cached("out.parquet")
	peer := s.duckCopy(list, out)
	peer.reach = "≤ 0.70"
	return work{name: "write Parquet to Parquet", ours: s.write(out), prepare: s.answered(list), peers: []contestant{peer}}
}

func (s *setup) writeCSVAsParquet() work {
	list, out := s.list(s.rows, ".csv"), s.cached("out.parquet")
	return work{
		name: "write CSV to Parquet", ours: s.write(out), prepare: s.answered(list),
		peers: []contestant{s.duckCopy(list, out)},
	}
}

func (s *setup) plan(name, list string) contestant {
	return contestant{name: name, parse: planCounts, command: command{
		s.batch, "plan", list, "--fields", "email,phone", "--offline", "--sandbox", "--state", s.cached("no-state"), "--json",
	}}
}

// write writes the output of the run that the journal holds, with the columns that the
// peers do not have.
func (s *setup) write(out string) contestant {
	return contestant{name: "batch", output: out, parse: writeCounts, command: command{
		s.batch, "write", tenthRun, "-o", out, "--sandbox", "--state", s.state(), "--json",
	}}
}

func (s *setup) duckPlan(list, reach string) contestant {
	c := s.duckDB("DuckDB", "plan", list)
	c.parse, c.exact, c.reach = countsOf, true, reach
	return c
}

func (s *setup) duckLight(list string) contestant {
	c := s.duckDB("DuckDB, spelling as it is", "light", list)
	c.parse = countsOf
	return c
}

func (s *setup) duckCopy(list, out string) contestant {
	c := s.duckDB("DuckDB, COPY", "copy", list, out)
	c.output = out
	return c
}

func (s *setup) duckDB(name, task string, files ...string) contestant {
	return contestant{name: name, command: append(command{"node", s.peer, task, strconv.Itoa(s.threads)}, files...)}
}

func (s *setup) warming(lists ...string) func(context.Context) error {
	return func(context.Context) error { return s.warm(lists...) }
}
