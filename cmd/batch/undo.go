package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"payonce/io/atomicfile"
	"payonce/pipeline/problem"
)

func newUndoCommand(env environment) *cobra.Command {
	return withExitCodes(&cobra.Command{
		Use:   "undo OUT",
		Short: "Put the earlier version of an output back in its place",
		Long: "Exchange an output with its earlier version, OUT.~1. A run keeps the file that it replaces when\n" +
			"it was changed after it was written, when it was not written with this journal, or when it\n" +
			"holds values that the new one lacks. Run the command again to exchange the two files back.\n" +
			"Nothing is sent, and the journal stays as it is.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return restore(env.stdout, args[0]) },
	}, exitDone, exitInternal, exitUsage)
}

func restore(stdout io.Writer, path string) error {
	err := atomicfile.RestoreVersion(path)
	if errors.Is(err, atomicfile.ErrNoVersion) {
		return problem.Usagef("%w; there is no file %s", err, atomicfile.VersionName(path, 1))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s is the earlier version now; the file that it replaced is %s\n", path, atomicfile.VersionName(path, 1))
	return err
}
