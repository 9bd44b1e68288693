package output

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"payonce/checkpoint/record"
	"payonce/io/listfile"
)

// crashed is a Journal of a process that ends before it records a file.
type crashed struct{ files }

func (crashed) SaveFile(record.File) error { return errors.New("the process ended") }

// inPlace is an output with its rejects that were written and recorded.
type inPlace struct {
	t       *testing.T
	journal files
	request Request
}

func newInPlace(t *testing.T) *inPlace {
	dir := t.TempDir()
	p := &inPlace{t, files{}, Request{Path: filepath.Join(dir, "out.csv"), Rejects: filepath.Join(dir, "rejects.csv")}}
	p.write(p.request.Path, "Ann", p.journal, "the source")
	p.write(p.request.Rejects, "Bob", p.journal, "the source")
	return p
}

// write writes a list of one name, as made from a source.
func (p *inPlace) write(path, name string, journal Journal, source string) {
	p.t.Helper()
	list := filepath.Join(p.t.TempDir(), "list.csv")
	p.check(os.WriteFile(list, []byte("first_name\n"+name+"\n"), 0o600))
	from, err := listfile.New(listfile.Options{}, list)
	p.check(err)
	reader, err := from.Whole().Open(nil)
	p.check(err)
	protection := Protection{Journal: journal, Source: source, Outcomes: map[string]int64{"matched": 1}, Now: time.Now()}
	_, err = WriteNew(p.t.Context(), Request{Path: path}, reader, protection)
	if _, crashes := journal.(crashed); !crashes {
		p.check(err)
	}
}

func (p *inPlace) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *inPlace) want(want bool, source string) {
	p.t.Helper()
	found, same, err := p.request.InPlace(p.journal, func() (string, error) { return source, nil })
	p.check(err)
	if same != want {
		p.t.Errorf("in place: %t, want %t", same, want)
	}
	if same && !maps.Equal(found.Rows, map[string]int64{"matched": 1}) {
		p.t.Errorf("rows %v", found.Rows)
	}
}

func TestOnlyAnOutputOfTheSameSourceIsLeftInPlace(t *testing.T) {
	p := newInPlace(t)
	p.want(true, "the source")
	p.want(false, "another source")
	p.want(false, "")
	link := filepath.Join(t.TempDir(), "link.csv")
	p.check(os.Symlink(p.request.Path, link))
	p.request.Path = link
	p.want(true, "the source")
}

// TestFilesThatMayHaveChangedAreNotInPlace makes each change on its own.
func TestFilesThatMayHaveChangedAreNotInPlace(t *testing.T) {
	edit := func(p *inPlace, path, text string) {
		info, err := os.Stat(path)
		p.check(err)
		p.check(os.WriteFile(path, []byte(text), 0o600))
		p.check(os.Chtimes(path, info.ModTime(), info.ModTime()))
	}
	for name, change := range map[string]func(p *inPlace){
		"an output that was removed":  func(p *inPlace) { p.check(os.Remove(p.request.Path)) },
		"rejects that were removed":   func(p *inPlace) { p.check(os.Remove(p.request.Rejects)) },
		"a directory":                 func(p *inPlace) { p.check(os.Remove(p.request.Path)); p.check(os.Mkdir(p.request.Path, 0o700)) },
		"an edit":                     func(p *inPlace) { edit(p, p.request.Path, "first_name\nAnna\n") },
		"an edit of one letter":       func(p *inPlace) { edit(p, p.request.Path, "first_name\nAnd\n") },
		"an edit of the rejects":      func(p *inPlace) { edit(p, p.request.Rejects, "first_name\nBop\n") },
		"another time":                func(p *inPlace) { p.check(os.Chtimes(p.request.Path, time.Now(), time.Now().Add(time.Second))) },
		"no record":                   func(p *inPlace) { clear(p.journal) },
		"an output with no source":    func(p *inPlace) { p.write(p.request.Path, "Ann", p.journal, "") },
		"rejects of another source":   func(p *inPlace) { p.write(p.request.Rejects, "Bob", p.journal, "another source") },
		"a crash before the record":   func(p *inPlace) { p.write(p.request.Path, "Eve", crashed{p.journal}, "the source") },
		"a crash, with the same size": func(p *inPlace) { p.write(p.request.Path, "Ann", crashed{p.journal}, "another source") },
		"standard output":             func(p *inPlace) { p.request.Path = listfile.Standard },
		"rejects on standard output":  func(p *inPlace) { p.request.Rejects = listfile.Standard },
		"other rejects":               func(p *inPlace) { p.request.Rejects += ".csv" },
		"tables":                      func(p *inPlace) { p.request.Tables.Dir = t.TempDir() },
		"a program that keeps members which it does not know": func(p *inPlace) {
			earlier := p.journal[p.request.Path]
			p.write(p.request.Path, "Eve", p.journal, "")
			written := p.journal[p.request.Path]
			written.Source, written.Rows = earlier.Source, earlier.Rows
			p.check(p.journal.SaveFile(written))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newInPlace(t)
			change(p)
			p.want(false, "the source")
		})
	}
}

// TestTheListIsNotHashedForFilesThatChanged: source reads the whole list.
func TestTheListIsNotHashedForFilesThatChanged(t *testing.T) {
	p := newInPlace(t)
	p.check(os.Remove(p.request.Rejects))
	_, same, err := p.request.InPlace(p.journal, func() (string, error) {
		t.Error("source was called")
		return "", nil
	})
	if same || err != nil {
		t.Errorf("in place: %t, error %v", same, err)
	}
}
