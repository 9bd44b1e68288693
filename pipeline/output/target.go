// This file names the files that are written, and refuses those that must not be replaced.

package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"payonce/io/atomicfile"
	"payonce/io/listfile"
	"payonce/pipeline/problem"
)

// OutputName puts .enriched before the ending of the list's name. A list of several
// files has no name of its own; one from standard input goes to standard output.
func OutputName(names []string) (string, error) {
	switch {
	case len(names) > 1:
		return "", problem.Coded("output_missing", "a list of several files has no name for the output")
	case isPattern(names[0]):
		return "", problem.Coded("output_missing", "a pattern of files has no name for the output")
	case names[0] == listfile.Standard:
		return listfile.Standard, nil
	}
	plain := listfile.TrimCompression(names[0])
	ending := filepath.Ext(plain) + names[0][len(plain):]
	return strings.TrimSuffix(names[0], ending) + ".enriched" + ending, nil
}

// isPattern reports whether a name stands for the files that fit it, and not for the one
// that has it.
func isPattern(name string) bool {
	_, err := os.Lstat(name)
	return strings.ContainsAny(name, `*?[`) && errors.Is(err, fs.ErrNotExist)
}

// Source is a file that a use case must not overwrite, or a pattern of such files.
type Source struct{ What, Path string }

// SourcesOf returns the files of a list.
func SourcesOf(list []string) []Source {
	var sources []Source
	for _, name := range list {
		files, _ := listfile.ExpandPatterns(name) // opening the list says what is wrong
		for _, file := range files {
			sources = append(sources, Source{"the list itself", file.Path()})
		}
		if isPattern(name) {
			sources = append(sources, Source{Path: name})
		}
	}
	return sources
}

// filesOf names the files of an output, of rejects and of new values, of which a name can be "".
func filesOf(output, rejects, newValues string) []Source {
	return []Source{{"the output", output}, {"the file of rejects", rejects}, {"the file of new values", newValues}}
}

// CheckTargets refuses an output or a file of rejects or new values that cannot be written, or that is one of the
// sources. Without rejects or new values that name is "".
func CheckTargets(output, rejects, newValues string, sources []Source) error {
	if err := CheckTarget(output, sources); err != nil {
		return err
	}
	if rejects != "" {
		if sameFile(rejects, output) {
			return problem.Usagef("the rejects and the output have the same name, %s; give them two names", output)
		}
		if err := CheckTarget(rejects, sources); err != nil {
			return err
		}
	}
	if newValues == "" {
		return nil
	}
	return CheckTargetApart(newValues, filesOf(output, rejects, ""), sources)
}

// CheckTarget refuses a file that cannot be written, or that is one of the sources.
func CheckTarget(path string, sources []Source) error {
	if path == listfile.Standard {
		return nil
	}
	if target, err := os.Stat(path); err == nil {
		for _, s := range sources {
			if source, err := os.Stat(s.Path); err == nil && os.SameFile(source, target) {
				return problem.Usagef("%s is %s, which is never overwritten; choose another file", path, s.What)
			}
		}
	}
	for _, s := range sources {
		if isPattern(s.Path) && fits(s.Path, path) {
			return problem.Usagef("%s fits %s and would be in the list next time; choose another name", path, s.Path)
		}
	}
	if err := atomicfile.CheckWritable(path); err != nil {
		return problem.Usagef("%s cannot be written: %w", path, err)
	}
	return nil
}

// CheckUnused refuses files that another process may be about to write.
func CheckUnused(outputs []Source, paths ...string) error {
	for _, path := range paths {
		for _, s := range outputs {
			if path != "" && path != listfile.Standard && sameFile(path, s.Path) {
				return problem.Usagef("%s is %s, and the process that owns the journal may be about to write it; choose another file",
					path, s.What)
			}
		}
	}
	return nil
}

// fits reports whether a pattern stands for a path, also where it is not there yet.
func fits(pattern, path string) bool {
	pattern, patternErr := filepath.Abs(pattern)
	path, pathErr := filepath.Abs(path)
	found, err := filepath.Match(pattern, path)
	return found && errors.Join(patternErr, pathErr, err) == nil
}

// sameFile reports whether two paths name one file, there already or not.
func sameFile(a, b string) bool {
	return realPath(a) == realPath(b)
}

// realPath returns the absolute path without links, as far as it is there.
func realPath(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// CheckTargetApart refuses a file that cannot be written, that is one of the sources, or that is another file of the
// same run.
func CheckTargetApart(path string, written, sources []Source) error {
	for _, other := range written {
		if other.Path != "" && sameFile(path, other.Path) {
			return problem.Usagef("%s is %s, too; choose another file", path, other.What)
		}
	}
	return CheckTarget(path, sources)
}

// TargetName names the file of an output for a person.
func TargetName(path string) string {
	if path == listfile.Standard {
		return "the list on standard output"
	}
	return path
}

// CheckTables refuses tables that are one of the sources or another file that is written.
func CheckTables(tables []string, written, sources []Source) error {
	for _, path := range tables {
		for _, other := range written {
			if other.Path != "" && other.Path != listfile.Standard && sameFile(path, other.Path) {
				return problem.Usagef("%s is %s and would be a table, too; choose another directory", path, other.What)
			}
		}
		for _, s := range sources {
			if s.Path != "" && sameFile(path, s.Path) {
				return problem.Usagef("the table %s is %s, which is never overwritten; choose another directory", path, s.What)
			}
			if isPattern(s.Path) && fits(s.Path, path) {
				return problem.Usagef(
					"the table %s fits %s and would be in the list next time; choose another directory", path, s.Path)
			}
		}
	}
	return nil
}

// AbsolutePath returns the absolute path of a file; "" and standard output stay.
func AbsolutePath(path string) (string, error) {
	if path == "" || path == listfile.Standard {
		return path, nil
	}
	return filepath.Abs(path)
}
