package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/report"
	"payonce/pipeline/scan"
)

// ofRefusedList returns a command for a list that cannot be read as it is: one that reads it in another way, or that
// shows the place of the fault. It returns "" for errors of other things, and when the person ended the command.
func ofRefusedList(err error, words []string, flags *pflag.FlagSet) string {
	names := flags.Args()
	if len(names) == 0 || errors.Is(err, context.Canceled) {
		return ""
	}
	if errors.Is(err, listfile.ErrChanged) || errors.Is(err, scan.ErrListChanged) {
		return report.ShellLine(append([]string{"batch"}, words...)...)
	}
	if _, ok := errors.AsType[*columns.PresetError](err); ok {
		return mapCommandLine(names, append(reading(flags), "--preset=none"))
	}
	if header, ok := errors.AsType[*table.HeaderRowError](err); ok {
		return mapCommandLine(names, withHeaderRow(reading(flags), header.Row))
	}
	if placed, ok := errors.AsType[*table.Error](err); ok {
		return atPlace(placed, names)
	}
	if named, ok := errors.AsType[*listfile.NameError](err); ok {
		renamed := strings.TrimSuffix(named.File, filepath.Ext(named.File)) + named.Ending
		return report.ShellLine("cp", "-n", "--", named.File, renamed) + " && " + mapCommandLine([]string{renamed}, nil)
	}
	if file := flags.Lookup("map-file"); file != nil && file.Changed && strings.Contains(err.Error(), file.Value.String()) {
		return mapCommandLine(names, append(reading(flags), "--save="+file.Value.String()))
	}
	if _, ok := errors.AsType[*columns.Error](err); ok {
		return ofFile(err, names, flags)
	}
	return ""
}

// mapCommandLine returns a command that shows how the columns of a list are read.
func mapCommandLine(names, given []string) string {
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "-") && name != "-" }) {
		return report.ShellLine(slices.Concat([]string{"batch", "map"}, given, []string{"--"}, names)...)
	}
	return report.ShellLine(slices.Concat([]string{"batch", "map"}, names, given)...)
}

// withHeaderRow returns flags of reading with another row of the header, or without one for 0.
func withHeaderRow(given []string, header int64) []string {
	given = slices.DeleteFunc(given, func(flag string) bool { return strings.HasPrefix(flag, "--header-row=") })
	if header > 0 {
		given = append(given, "--header-row="+strconv.FormatInt(header, 10))
	}
	return given
}

// atPlace returns a command that shows a faulty place of a list.
func atPlace(placed *table.Error, names []string) string {
	file := placed.File
	if names[0] == listfile.Standard {
		return "batch map --help" // there is no file to look at
	}
	switch ending := strings.ToLower(filepath.Ext(file)); {
	case ending == ".xlsx":
		return report.ShellLine("soffice", "--headless", "--convert-to", "csv", plainName(file))
	case ending == ".parquet" || placed.Line == 0:
		return report.ShellLine("ls", "-l", "--", file)
	case ending == ".gz":
		return fmt.Sprintf("gzip -dc -- %s | sed -n %dp", report.ShellWord(file), placed.Line)
	case ending == ".zst":
		return fmt.Sprintf("zstd -dc -- %s | sed -n %dp", report.ShellWord(file), placed.Line)
	}
	return fmt.Sprintf("sed -n %dp -- %s", placed.Line, report.ShellWord(file))
}

// ofFile returns a command for a file that is not a list, by its name.
func ofFile(err error, names []string, flags *pflag.FlagSet) string {
	name := names[0]
	if errors.Is(err, fs.ErrNotExist) {
		return report.ShellLine("ls", "--", filepath.Dir(name))
	}
	switch ending := strings.ToLower(filepath.Ext(name)); ending {
	case ".xls", ".xlsm", ".xlsb", ".ods":
		return report.ShellLine("soffice", "--headless", "--convert-to", "csv", plainName(name))
	case ".bz2":
		return report.ShellLine("bunzip2", "-k", "--", name)
	case ".xz":
		return report.ShellLine("xz", "-dk", "--", name)
	case ".zip":
		return report.ShellLine("unzip", plainName(name))
	case ".7z":
		return report.ShellLine("7z", "x", "--", name)
	case ".tgz":
		return report.ShellLine("tar", "-xzf", name)
	case ".gz":
		return report.ShellLine("gzip", "-tv", "--", name)
	case ".zst":
		return report.ShellLine("zstd", "-tv", "--", name)
	}
	for _, flag := range []string{"delimiter", "header-row"} {
		if given := flags.Lookup(flag); given != nil && given.Changed { // only some formats take them
			return mapCommandLine(names, nil)
		}
	}
	return report.ShellLine("ls", "-l", "--", name)
}

// plainName returns a name that no program takes for a flag.
func plainName(name string) string {
	if strings.HasPrefix(name, "-") {
		return "./" + name
	}
	return name
}
