package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"payonce/pipeline/problem"
)

// newManualCommand returns the command. The pages have the time of the environment variable SOURCE_DATE_EPOCH, in
// seconds since 1970, so that a package built again has the same bytes; without it, they have the time of now.
func newManualCommand(env environment) *cobra.Command {
	return withExitCodes(&cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write the manual pages of all commands",
		Long:   "Write a manual page for each command to a folder that exists. Packages contain them.",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := env.now()
			if text := env.getenv("SOURCE_DATE_EPOCH"); text != "" {
				seconds, err := strconv.ParseInt(text, 10, 64)
				if err != nil {
					return problem.Usagef("SOURCE_DATE_EPOCH is %q, and it has to be a number of seconds since 1970", text)
				}
				at = time.Unix(seconds, 0).UTC()
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			header := doc.GenManHeader{Section: "1", Source: "payonce " + version, Manual: "payonce", Date: &at}
			if err := doc.GenManTree(root, &header, args[0]); err != nil {
				if _, statErr := os.Stat(args[0]); statErr != nil {
					return problem.AsUsage(fmt.Errorf("the folder of the manual pages: %w", statErr))
				}
				return err
			}
			return nil
		},
	}, exitDone, exitInternal, exitUsage)
}
