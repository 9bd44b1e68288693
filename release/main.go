// Command release builds what users install: archives for Linux and macOS, packages for Debian and Red Hat with
// manual pages, completions and units, a list of the modules in each program, and checksums. The same source
// gives the same bytes, wherever and whenever it is built.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	r := Release{}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&r.Source, "source", "..", "the `FOLDER` with the source")
	flags.StringVar(&r.Out, "o", "../dist/release", "the `FOLDER` that the files are written to; it is emptied first")
	flags.StringVar(&r.Version, "version", "", "the `VERSION`, such as 1.2.3")
	targets := flags.String("targets", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64", "the systems and processors")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if r.Version == "" {
		return fmt.Errorf("-version is missing, such as -version 1.2.3")
	}
	for _, text := range strings.Split(*targets, ",") {
		system, processor, found := strings.Cut(text, "/")
		if !found {
			return fmt.Errorf("-targets: %q is not a system and a processor such as linux/amd64", text)
		}
		r.Targets = append(r.Targets, Target{system, processor})
	}
	var err error
	if r.Time, err = sourceTime(ctx, r.Source); err != nil {
		return err
	}
	return r.Make(ctx)
}

// sourceTime returns the time that all files get: SOURCE_DATE_EPOCH in seconds since 1970, or else the time of the
// last commit.
func sourceTime(ctx context.Context, source string) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := exec.CommandContext(ctx, "git", "-C", source, "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("the time of the last commit: %w; without git set SOURCE_DATE_EPOCH", err)
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
