// This file writes a report as a page to forward: Markdown or HTML in a file.

package main

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"payonce/io/atomicfile"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// pageFlags are the flags that name the pages.
type pageFlags struct{ markdown, html string }

// Add adds the flags to a command that shows a report of that name.
func (f *pageFlags) Add(flags *pflag.FlagSet, name string) {
	flags.StringVar(&f.markdown, "md", "", "write the "+name+" to this `FILE` too, as Markdown")
	flags.StringVar(&f.html, "html", "", "write the "+name+" to this `FILE` too, as one HTML page")
}

// AddOutput adds the flags to a command whose report is meant to be a page: -o names the HTML page.
func (f *pageFlags) AddOutput(flags *pflag.FlagSet, name string) {
	flags.StringVar(&f.markdown, "md", "", "write the "+name+" to this `FILE`, as Markdown")
	flags.StringVarP(&f.html, "output", "o", "", "write the "+name+" to this `FILE`, as one HTML page")
}

// reportPage is one file that is written.
type reportPage struct {
	path    string
	endings []string
	render  func(io.Writer, report.Report, report.Hints) error
}

func (f *pageFlags) pages() (wanted []reportPage) {
	for _, p := range []reportPage{
		{f.markdown, []string{".md", ".markdown"}, report.WriteMarkdown},
		{f.html, []string{".html", ".htm"}, report.WriteHTML},
	} {
		if p.path != "" {
			wanted = append(wanted, p)
		}
	}
	return wanted
}

// Given reports whether a page is wanted.
func (f *pageFlags) Given() bool { return len(f.pages()) > 0 }

// Check refuses files that cannot be written, whose endings stand for another format, or that are
// one of the sources. Call it before anything is read.
func (f *pageFlags) Check(sources []output.Source) error {
	for _, p := range f.pages() {
		if ending := strings.ToLower(filepath.Ext(p.path)); !slices.Contains(p.endings, ending) {
			return problem.Usagef("%s: the page is written as %s; choose a name that ends so", p.path, p.endings[0])
		}
		if err := output.CheckTarget(p.path, sources); err != nil {
			return err
		}
	}
	return nil
}

// Write writes the report to the files, each whole or not at all. New files get the mode. It names
// each file on stdout unless stdout is nil.
func (f *pageFlags) Write(stdout io.Writer, r report.Report, hints report.Hints, mode fs.FileMode) error {
	for _, p := range f.pages() {
		err := atomicfile.Replace(p.path, mode, func(w io.Writer) error { return p.render(w, r, hints) })
		if err != nil {
			return err
		}
		if stdout == nil {
			continue
		}
		if _, err := fmt.Fprintf(stdout, "\nWritten to %s.\n", p.path); err != nil {
			return err
		}
	}
	return nil
}
