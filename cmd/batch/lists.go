package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/io/csvtable"
	"payonce/io/listfile"
	"payonce/io/sandbox/world"
	"payonce/io/table"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// maxListRows is the longest list that is made: nobody rehearses on more.
const maxListRows = 1_000_000_000

// listsFlags hold the flags of the lists command.
type listsFlags struct {
	output                             string
	rows                               int
	seed                               uint64
	duplicates                         configs.ShareFlag
	profiles, websites, unidentifiable configs.ShareFlag
	emails, phones                     configs.ShareFlag
	unicode, quoted                    configs.ShareFlag
}

// newListsCommand returns the command that makes lists.
func newListsCommand(env environment) *cobra.Command {
	f := defaultListsFlags()
	cmd := &cobra.Command{
		Use:   "lists -o FILE --rows N",
		Short: "Make a contact list of people who do not exist, to rehearse with",
		Long: "Make a contact list of people who do not exist, to rehearse with; the same flags give the same list\n" +
			"everywhere. Shares are met by chance, row by row.",
		Hidden: true,
		RunE:   func(cmd *cobra.Command, _ []string) error { return f.write(cmd.Context(), env) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write the list to this `FILE`, whose ending sets the format; - is CSV on standard output")
	flags.IntVar(&f.rows, "rows", 0, "how many rows the list has, `N`")
	flags.Uint64Var(&f.seed, "seed", f.seed, "decides who is in the list, and every value")
	flags.Var(&f.duplicates, "duplicates", "the share of rows that repeat a person in another spelling")
	flags.Var(&f.profiles, "profiles", "the share of people with a profile URL")
	flags.Var(&f.websites, "websites", "the share of people with a name and the company's website")
	flags.Var(&f.unidentifiable, "unidentifiable", "the share of people that nothing identifies; the others have a name and the company's name")
	flags.Var(&f.emails, "filled-emails", "the share of rows with an email")
	flags.Var(&f.phones, "filled-phones", "the share of rows with a phone")
	flags.Var(&f.unicode, "unicode", "the share of people with letters beyond ASCII in their names")
	flags.Var(&f.quoted, "quoted", "the share of rows with line breaks, delimiters and quotes in a cell")
	return cmd
}

// defaultListsFlags describe the list that speed is measured on.
func defaultListsFlags() *listsFlags {
	percent := func(share float64) configs.ShareFlag { return configs.ShareFlag(share*100 + 0.5) }
	spec := world.LargeList(1, 0)
	return &listsFlags{
		seed: spec.Seed, duplicates: percent(spec.DuplicateShare),
		profiles: percent(spec.ProfileShare), websites: percent(spec.WebsiteShare), unidentifiable: percent(spec.UnidentifiableShare),
		emails: percent(spec.FilledEmailShare), phones: percent(spec.FilledPhoneShare),
		unicode: percent(spec.UnicodeShare), quoted: percent(spec.QuotedNewlineShare),
	}
}

func (f *listsFlags) spec() world.ListSpec {
	share := func(percent configs.ShareFlag) float64 { return float64(percent) / 100 }
	return world.ListSpec{
		Seed: f.seed, Rows: f.rows, DuplicateShare: share(f.duplicates),
		ProfileShare: share(f.profiles), WebsiteShare: share(f.websites), UnidentifiableShare: share(f.unidentifiable),
		FilledEmailShare: share(f.emails), FilledPhoneShare: share(f.phones),
		UnicodeShare: share(f.unicode), QuotedNewlineShare: share(f.quoted),
	}
}

// check refuses what no list can be made of.
func (f *listsFlags) check() error {
	switch kinds := f.profiles + f.websites + f.unidentifiable; {
	case f.output == "":
		return problem.Usagef("there is no output; give -o FILE")
	case f.rows < 1 || f.rows > maxListRows:
		return problem.Usagef("--rows %d: choose 1 to %d", f.rows, maxListRows)
	case kinds > 100:
		return problem.Usagef("--profiles, --websites and --unidentifiable come to %d%%; they are shares of the same people, so choose at most 100%%", kinds)
	}
	return output.CheckTarget(f.output, nil)
}

// write makes the list. Its rows go from the generator to the file as they come, so
// that a list of any length takes little memory.
func (f *listsFlags) write(ctx context.Context, env environment) error {
	if err := f.check(); err != nil {
		return err
	}
	made, making := io.Pipe()
	defer made.Close() // ends the generator
	go func() { making.CloseWithError(world.WriteListCSV(making, f.spec())) }()
	rows, err := csvtable.NewReader(made, "the list", csvtable.Options{})
	if err != nil {
		return err
	}
	defer rows.Close()
	out, err := listfile.CreateNew(rows.Schema(), listfile.Request{Path: f.output, Stdout: env.stdout, Mode: env.fileMode})
	if err != nil {
		return problem.AsUsage(err)
	}
	defer out.Discard()
	err = table.Ordered(ctx, rows, func(block table.Block) (table.Part, error) {
		part := out.Writer.Part(block)
		return part, block.Each(func(row table.Row) error { return part.WriteRow(row, nil, nil) })
	}, func(_ table.Block, part table.Part) error { return out.Writer.Write(part) })
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	if err := out.Commit(); err != nil || f.output == listfile.Standard {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "%s has %s of people who do not exist\n", f.output, report.Counted(f.rows, "row"))
	return err
}
