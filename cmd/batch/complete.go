// This file lets a shell complete names: of runs, columns, fields and workspaces. It creates nothing, and does not
// wait for a journal that another process holds and does not serve.

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/checkpoint/badgerstore"
	"payonce/io/listfile"
	"payonce/io/service/v1"
	"payonce/pipeline"
	"payonce/pipeline/columns"
	"payonce/pipeline/inspect"
)

// completionWait is how long a completion waits for a journal that another process opens or closes.
const completionWait = 300 * time.Millisecond

// completion finds the names that complete an argument or a flag.
type completion struct {
	// work returns where a command works, by the flags that were given so far.
	work func(cmd *cobra.Command) (*pipeline.Work, error)
	wait time.Duration // for a journal that another process opens or closes
}

// registerCompletion lets a shell complete the names that the commands below one take.
func registerCompletion(cmd *cobra.Command, open completion) {
	switch cmd.CommandPath() {
	case "batch show": // or a file with a plan
		cmd.ValidArgsFunction = first(open.runs, cobra.ShellCompDirectiveDefault)
	case "batch write", "batch crm review", "batch crm push", "batch crm undo", "batch crm export":
		cmd.ValidArgsFunction = first(open.runs, cobra.ShellCompDirectiveNoFileComp)
	}
	for flag, names := range map[string]func(*cobra.Command, []string, string) []string{
		"name":      func(cmd *cobra.Command, _ []string, _ string) []string { return open.runs(cmd) },
		"workspace": func(cmd *cobra.Command, _ []string, _ string) []string { return open.workspaces(cmd) },
		"fields":    func(_ *cobra.Command, _ []string, given string) []string { return fields(given) },
		"map":       mappings,
		"priority":  func(cmd *cobra.Command, list []string, _ string) []string { return columnsOf(cmd, list) },
	} {
		if cmd.Flags().Lookup(flag) == nil {
			continue
		}
		// An error would say that the command has no such flag.
		_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, given string) ([]string, cobra.ShellCompDirective) {
			return beginning(names(cmd, args, given), given), cobra.ShellCompDirectiveNoFileComp | unfinished(flag, given)
		})
	}
	for _, below := range cmd.Commands() {
		registerCompletion(below, open)
	}
}

// unfinished keeps the shell from adding a blank where the name of a column follows.
func unfinished(flag, given string) cobra.ShellCompDirective {
	if flag == "map" && !strings.Contains(given, "=") || flag == "fields" {
		return cobra.ShellCompDirectiveNoSpace
	}
	return 0
}

// first completes the first argument.
func first(names func(*cobra.Command) []string, directive cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, given string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return beginning(names(cmd), given), directive
	}
}

// beginning returns the names that begin with what was given.
func beginning(names []string, given string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, given) })
}

// runs returns the names of the runs in the journal; none when it cannot be read at once.
func (open completion) runs(cmd *cobra.Command) []string {
	w, err := open.work(cmd)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), open.wait)
	defer cancel()
	names, _ := inspect.RunNames(ctx, w) // a shell has no place for an error
	return names
}

// workspaces returns the names of the workspaces with a journal beside that of the command.
func (open completion) workspaces(cmd *cobra.Command) (names []string) {
	w, err := open.work(cmd)
	if err != nil {
		return nil
	}
	dir, err := w.Workspace.Dir()
	if err != nil {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Dir(dir)) // without the directory there are none
	for _, entry := range entries {
		if exists, _ := badgerstore.Exists(filepath.Join(filepath.Dir(dir), entry.Name())); exists {
			names = append(names, entry.Name())
		}
	}
	return names
}

// fields returns the fields, behind those that were given before.
func fields(given string) (names []string) {
	before := given[:strings.LastIndex(given, ",")+1]
	for f := range v1.AllFields.Each() {
		word := v1.Catalogue().Word(f)
		if !slices.Contains(strings.Split(before, ","), word) {
			names = append(names, before+word)
		}
	}
	return names
}

// mappings returns the roles of columns, or the columns that a role may have.
func mappings(cmd *cobra.Command, list []string, given string) (names []string) {
	role, _, found := strings.Cut(given, "=")
	if !found {
		for _, role := range columns.Roles() {
			names = append(names, string(role)+"=")
		}
		return names
	}
	for _, name := range columnsOf(cmd, list) {
		names = append(names, role+"="+name)
	}
	return names
}

// largeList is how large a list may be that a completion opens, in bytes.
const largeList = 64 << 20

// columnsOf returns the names of the columns of a list.
func columnsOf(cmd *cobra.Command, names []string) []string {
	if len(names) == 0 || slices.Contains(names, listfile.Standard) {
		return nil
	}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > largeList {
			return nil
		}
	}
	list, err := columns.OpenList(listfile.Options{
		Encoding: value(cmd.Flags(), "encoding"), Delimiter: value(cmd.Flags(), "delimiter"), Sheet: value(cmd.Flags(), "sheet"),
	}, names...)
	if err != nil {
		return nil
	}
	defer list.Close()
	schema, err := list.Schema()
	if err != nil {
		return nil
	}
	return slices.Clone(schema.Columns)
}

// value returns the value of a flag, "" without one.
func value(flags *pflag.FlagSet, name string) string {
	if flag := flags.Lookup(name); flag != nil && flag.Changed {
		return flag.Value.String()
	}
	return ""
}
