package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"payonce/io/csvtable"
	"payonce/io/listfile"
	"payonce/io/sheet"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// hintCommand returns a complete command that helps with an error of a list: one that works, or that shows more,
// quoted for a shell; "" for none. Words is the command line that failed, and flags are its flags.
func hintCommand(err error, words []string, flags *pflag.FlagSet) string {
	if len(words) == 0 || flags.Lookup("map") == nil {
		return ""
	}
	var command []string
	if doubts, ok := errors.AsType[columns.DoubtsError](err); ok {
		var mapping []string
		for _, doubt := range doubts {
			mapping = append(mapping, fmt.Sprintf("%s=#%d", doubt.Role, doubt.First+1))
		}
		command = withMapping(words, flags, mapping)
	} else if shared, ok := errors.AsType[*columns.SharedColumnError](err); ok {
		command = withMapping(words, flags, []string{string(shared.B) + "="})
	} else if several, ok := errors.AsType[*sheet.SeveralSheetsError](err); ok {
		command = with(words, "--sheet="+several.Names[0])
	} else if option, ok := errors.AsType[*listfile.OptionError](err); ok {
		command = withoutFlag(words, option.Option)
	} else if isUnmapped(err) && flags.NArg() > 0 {
		if header, ok := errors.AsType[*table.HeaderRowError](err); ok {
			return mapCommandLine(flags.Args(), withHeaderRow(reading(flags), header.Row))
		}
		return mapCommandLine(flags.Args(), reading(flags))
	} else if headerless, ok := errors.AsType[*csvtable.HeaderlessError](err); ok {
		if made := withHeader(headerless, flags.Args()); made != "" {
			return made
		}
	}
	if command == nil {
		return ofRefusedList(err, words, flags)
	}
	return report.ShellLine(append([]string{"batch"}, command...)...)
}

// withHeader returns a command that copies a list, with a header before it, and shows its columns. It returns ""
// for a list that cannot be copied so.
func withHeader(headerless *csvtable.HeaderlessError, names []string) string {
	if len(names) != 1 || names[0] == "-" || strings.ContainsAny(names[0], "*?[") {
		return ""
	}
	name, show := names[0], "cat"
	for ending, unpack := range map[string]string{".gz": "gzip -dc", ".zst": "zstd -dc"} {
		if plain, packed := strings.CutSuffix(name, ending); packed {
			name, show = plain, unpack
		}
	}
	ending := filepath.Ext(name)
	made := report.ShellWord(strings.TrimSuffix(name, ending) + ".header" + ending)
	show += " -- " + report.ShellWord(names[0])
	if headerless.Mark > 0 {
		show += fmt.Sprintf(" | tail -c +%d", headerless.Mark+1)
	}
	return fmt.Sprintf("{ echo %s; %s; } > %s && batch map -- %s", report.ShellWord(headerless.Header), show, made, made)
}

// isUnmapped reports whether the error is about columns that are missing: no person can be identified, or the
// list does not have a column that was named.
func isUnmapped(err error) bool {
	if _, ok := errors.AsType[*columns.OverrideError](err); ok {
		return true
	}
	found, ok := errors.AsType[*problem.Error](err)
	return ok && found.Code == "no_identity"
}

// reading returns the flags that say how a list is read, without those for its columns.
func reading(flags *pflag.FlagSet) (words []string) {
	for _, name := range readingFlags {
		if flag := flags.Lookup(name); flag != nil && flag.Changed {
			words = append(words, "--"+name+"="+flag.Value.String())
		}
	}
	return words
}

// with adds flags to a command line, before a "--" that ends its flags.
func with(words []string, added ...string) []string {
	end := slices.Index(words, "--")
	if end < 0 {
		end = len(words)
	}
	return slices.Concat(words[:end], added, words[end:])
}

// withoutFlag returns a command line without a flag that has a value.
func withoutFlag(words []string, name string) (kept []string) {
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "--":
			return append(kept, words[i:]...)
		case words[i] == "--"+name:
			i++
		case !strings.HasPrefix(words[i], "--"+name+"="):
			kept = append(kept, words[i])
		}
	}
	return kept
}

// withMapping returns a command line with a mapping for some roles. The other roles keep theirs, also those
// of a configuration, because flags of the command line replace those of a configuration.
func withMapping(words []string, flags *pflag.FlagSet, mapping []string) []string {
	var kept []string
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "--":
			kept = append(kept, words[i:]...)
			i = len(words)
		case words[i] == "--map":
			i++
		case strings.HasPrefix(words[i], "--map="):
		default:
			kept = append(kept, words[i])
		}
	}
	given, _ := flags.GetStringArray("map") // the flag is there
	var added []string
	for _, m := range slices.Concat(columns.Beneath(mapping, given), mapping) {
		added = append(added, "--map="+m)
	}
	return with(kept, added...)
}
