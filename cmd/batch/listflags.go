// This file has the flags that say how a list is read and what is looked up for it.

package main

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"payonce/configs"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/listfile"
	"payonce/pipeline"
	"payonce/pipeline/columns"
	"payonce/pipeline/provider"
)

// listFlags say how a list is read and what is looked up for it.
type listFlags struct {
	List pipeline.List // what the flags say, but for those below, whose values have types of their own

	Delimiter    configs.ChoiceFlag
	Fields       configs.FieldsFlag
	From         configs.NamesFlag
	Preset       configs.ChoiceFlag
	Held         configs.ChoiceFlag
	Prefer       configs.ChoiceFlag
	ReaskMissing configs.AgeFlag
	Limit        configs.CountFlag
	Memory       configs.SizeFlag
	Resolve      configs.ChoiceFlag
	Figures      configs.FiguresFlag
	Years        configs.YearsFlag

	Profile bool
	Sample  configs.CountFlag

	isGiven func(flag string) bool // nil for a command without these flags
}

// SetDefaults sets the defaults.
func (f *listFlags) SetDefaults(all []provider.Provider) {
	for _, p := range all {
		of := p.Interface()
		f.Fields.Catalogues = append(f.Fields.Catalogues, of.Catalogue)
		f.Figures.Known = append(f.Figures.Known, of.Figures...)
	}
	f.Figures.Suggest = nearestName
	f.Fields.Words = []string{f.Fields.Catalogues[0].Word(0)}
	f.Delimiter = configs.ChoiceFlag{Value: asFound, Choices: append([]string{asFound}, csvtable.DelimiterNames()...)}
	f.Preset = configs.ChoiceFlag{
		Value: columns.AutoPreset, Choices: append([]string{columns.AutoPreset, columns.NoPreset}, columns.PresetNames()...),
	}
	f.Resolve = configs.ChoiceFlag{Value: nobody, Choices: []string{nobody, autocomplete}}
	f.Held = configs.ChoiceFlag{Value: columns.HeldAll.String(), Choices: columns.HeldNames()}
	f.Prefer = configs.ChoiceFlag{Value: enrich.ByProfile.String(), Choices: []string{enrich.ByProfile.String(), enrich.ByName.String()}}
}

// readingFlags are those that say how a list is read, without those for its columns.
var readingFlags = []string{"encoding", "delimiter", "sheet", "header-row"}

// asFound means: as recognised from the list.
const asFound = "auto"

// reading returns how a list is read. It reads standard input until the context ends.
func (f *listFlags) reading(ctx context.Context, stdin io.Reader) listfile.Options {
	reading := f.List.Options
	if f.Delimiter.Value != asFound {
		reading.Delimiter = f.Delimiter.Value
	}
	reading.Stdin = func() io.Reader { return readUntil(ctx, stdin) }
	return reading
}

// Value returns how a list is read and what is looked up for it.
func (f *listFlags) Value(ctx context.Context, stdin io.Reader, now func() time.Time, names ...string) pipeline.List {
	l := f.List
	l.Names, l.Options = names, f.reading(ctx, stdin)
	l.Fields, l.From, l.Preset, l.Prefer = f.Fields.Words, f.From, f.Preset.Value, pipeline.Preferred(f.Prefer.Value)
	l.Held, _ = columns.ParseHeld(f.Held.Value) // the flag takes no other names
	l.Reask.Before, l.Limit, l.Memory = f.ReaskMissing.Before(now()), f.Limit.OrZero(), cmp.Or(f.Memory.Bytes, machineMemory()/4)
	l.Resolve = f.Resolve.Value == autocomplete
	if l.Figures, l.Years = f.Figures.Names, f.Years; len(l.Figures) > 0 && !f.Fields.Given {
		l.Fields = nil // the figures alone are wanted
	}
	l.FallbackByDefault = f.isGiven != nil && !f.isGiven("fallback")
	return l
}

// readUntil reads until the context ends. A plain read of a terminal or a pipe would not end at an
// interrupt.
func readUntil(ctx context.Context, from io.Reader) io.Reader {
	read, write := io.Pipe()
	go func() {
		_, err := io.Copy(write, from)
		write.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { write.CloseWithError(ctx.Err()) })
	return read
}

// AddReading adds the flags of every command that reads a list.
func (f *listFlags) AddReading(flags *pflag.FlagSet) {
	flags.StringVar(&f.List.Encoding, "encoding", "", "the `ENCODING` of the list: UTF-8, UTF-16LE, UTF-16BE or Windows-1252 (default as recognised)")
	flags.Var(&f.Delimiter, "delimiter", "the `NAME` of the delimiter of a text list: comma, semicolon, tab or bar")
	flags.StringVar(&f.List.Sheet, "sheet", "", "the `NAME` of the sheet of a workbook (default the only one with values)")
	flags.Int64Var(&f.List.HeaderRow, "header-row", 0, "the row with the names of the columns, `N` as a spreadsheet program counts rows (default as recognised)")
	flags.Var(&f.Memory, "memory", "the most memory that the people of a list may take; more of them go to temporary files (default a quarter of the machine's)")
	flags.StringVar(&f.List.TempDir, "temp", "", "the `DIR` for temporary files (default the system's)")
}

// AddAsking adds the flags that say what is looked up for a list.
func (f *listFlags) AddAsking(flags *pflag.FlagSet) {
	flags.Var(&f.Fields, "fields", "what to find: "+strings.Join(f.Fields.All(), ", ")+", with commas between them")
	flags.StringArrayVar(&f.List.Mapping, "map", nil, "`FIELD=COLUMN`: the column of a field, by its header or #number; empty for none (repeatable)")
	flags.StringVar(&f.List.MapFile, "map-file", "", "read the columns as this mapping `FILE` says, which batch map saves (default LIST.map.yaml, or another one beside it for the same headers)")
	flags.Var(&f.Preset, "preset", "the `NAME` of the program whose export the list is, such as hubspot; none for no program")
	flags.Var(&f.Held, "held", "which values in further columns count as held and are not bought; work-only leaves out private mailboxes and mobile numbers")
	flags.BoolVar(&f.List.CopyHeld, "copy-held", false, "copy a value that counts as held into the row's own empty cell")
	flags.Var(&f.Prefer, "prefer", "the identity that is used when a row has both")
}

// AddSelected adds the flag that says which candidates somebody chose.
func (f *listFlags) AddSelected(flags *pflag.FlagSet) {
	flags.StringVar(&f.List.Selected, "selected", "", "take the candidates marked with x in this `FILE` of --candidates; their companies are not searched for again")
}

// AddAccepting adds the flag that says which answers rows get.
func (f *listFlags) AddAccepting(flags *pflag.FlagSet) {
	flags.BoolVar(&f.List.AcceptMismatch, "accept-mismatch", false, "also give rows the values of answers that contradict them; enrich_reason says what differs")
}

// Who resolves the rows that a search left ambiguous.
const (
	nobody       = "none"
	autocomplete = "autocomplete"
)

// AddSelection adds the flags that say which people of a list are looked up, and the name of the run.
func (f *listFlags) AddSelection(flags *pflag.FlagSet) {
	flags.Var(&f.From, "from", "the interfaces that are asked, in their order: v2,v1 asks v1 for what v2 did not return (default v1 for emails and phones)")
	flags.Var(&f.Resolve, "resolve", "what to do when a search by name is ambiguous: none leaves the rows ambiguous, autocomplete asks the service for the company that fits best")
	flags.Var(&f.Figures, "figures", "add columns for these figures of companies, such as Turnover,EBITDA, in the years of --years; also asks for financials")
	flags.Var(&f.Years, "years", "the years of --figures, such as 2022-2024 or 2022,2024 (default the latest of each company)")
	flags.BoolVar(&f.List.Fallback, "fallback", true, "when a company or a contact is not found, ask by the other identities of its row: number, website, profile, email, name; off by default in jobs, and for v1")
	f.isGiven = flags.Changed
	flags.Var(&f.ReaskMissing, "reask-missing", "ask again for values that were not found, or rejected, longer ago than this (90d, 12h)")
	flags.Var(&f.Limit, "limit", "look up only the first `N` people of the list that miss something (default all)")
	flags.BoolVar(&f.List.CompleteFirst, "complete-first", false, "when the ceilings do not cover all lookups, first look up the rows that can get all their values, starting with those that need the least")
	flags.StringVar(&f.List.Priority, "priority", "", "look up in the order of this `COLUMN`, large numbers first; COLUMN:asc for small ones first")
	flags.BoolVar(&f.Profile, "profile", false, "ask for the person's profile too; it is written as JSON to the last column, profile")
	flags.StringVar(&f.List.Run, "name", "", "the run's `NAME`; running it again resumes it (default from the list and the fields)")
}
