package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// mapCommand is one call of the command.
type mapCommand struct {
	env         environment
	list        listFlags
	json, plain bool
	save        string
}

// newMapCommand returns the command.
func newMapCommand(env environment) *cobra.Command {
	c := &mapCommand{env: env}
	c.list.SetDefaults(env.knownProviders())
	cmd := &cobra.Command{
		Use:   "map LIST...",
		Short: "Show how the columns of a list are read, and save it for plan and run",
		Long: "Show how each column of a list is read and why, the first rows as they would be looked up, and the\n" +
			"columns that a run appends. Nothing is sent, and no service is needed. Without --fields, a list of\n" +
			"companies is shown as it is read for their records.\n\n" +
			"In a terminal, a screen shows the columns, changes them and saves them in LIST.map.yaml; --plain asks\n" +
			"simple questions instead. With --json, with --save and without a terminal nothing is asked.\n\n" +
			"--map changes how a column is read, and --save keeps it in a mapping file, which you can edit.\n" +
			"plan and run use the mapping file LIST.map.yaml, or another one beside the list for the same headers,\n" +
			"and say so. --map wins over it.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.list.List.UsualFields = !cmd.Flags().Changed("fields")
			return c.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	c.list.AddReading(flags)
	c.list.AddAsking(flags)
	flags.BoolVar(&c.json, "json", false, "print one JSON object on standard output")
	flags.BoolVar(&c.plain, "plain", false, "in a terminal, ask simple questions in place of showing a screen")
	flags.StringVar(&c.save, "save", "", "save the mapping in this `FILE`, such as LIST.map.yaml")
	return cmd
}

func (c *mapCommand) run(ctx context.Context, names []string) (err error) {
	if c.list.List.HeaderRow < 0 {
		return problem.Usagef("--header-row %d: choose 1 or more", c.list.List.HeaderRow)
	}
	m, err := pipeline.OpenMapping(c.list.Value(ctx, c.env.stdin, c.env.now, names...), c.env.knownProviders())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for _, note := range m.Notes {
		if _, err := io.WriteString(c.env.stderr, "batch: "+note+"\n"); err != nil {
			return err
		}
	}
	if c.env.hasScreen() && !c.json && c.save == "" && m.DefaultFile() != "" {
		_, err := edit(ctx, c.env, m, c.plain)
		return err
	}
	if c.save != "" {
		if err := m.Save(c.save, c.env.fileMode); err != nil {
			return err
		}
	}
	view := m.View()
	view.Saved = c.save
	if c.json {
		return report.WriteJSON(c.env.stdout, view)
	}
	return report.WriteText(c.env.stdout, view, hintOf)
}

// hasScreen reports whether standard input, output and error are terminals.
func (env environment) hasScreen() bool { return env.canAsk && env.showsText }

// edit lets a person at a terminal change a mapping. It saves the mapping if the person wants that, and
// reports whether it did.
func edit(ctx context.Context, env environment, m *pipeline.Mapping, plain bool) (save bool, err error) {
	path := m.DefaultFile()
	if plain {
		save, err = ask(ctx, env.stdin, env.stderr, m, path)
	} else {
		save, err = runMapScreen(ctx, env.stdin, env.stderr, m)
	}
	switch {
	case err != nil:
		return false, err
	case !save:
		_, err = fmt.Fprintln(env.stderr, "Nothing was saved.")
		return false, err
	}
	if err := m.Save(path, env.fileMode); err != nil {
		return false, err
	}
	_, err = fmt.Fprintf(env.stderr, "Saved in %s; plan and run use it.\n", path)
	return true, err
}
