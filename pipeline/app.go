// Package pipeline holds the use cases. They take options and return reports and typed errors. They
// print nothing, know no flags and change nothing of the process: several run at the same time.
package pipeline

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// Work is where use cases work: one workspace, and somebody who watches.
type Work struct {
	Env       workspace.Environment
	Workspace workspace.Options
	Observer  Observer
	// Explain words an error, and what to do about it where the service is at fault.
	Explain func(error) string
	// People returns the list of a recorded run whose rows are people that a search found, from the pages in the journal.
	// It is nil where such runs are not written again. The argument list has the options in the record of the run.
	People func(ctx context.Context, w *Work, place *workspace.Session, run checkpoint.Run, list List) (List, error)
}

// Approver stands for the person who starts a run.
type Approver interface {
	// Show shows the plan before anything is sent.
	Show(plan *report.Plan) error
	// CanAsk reports whether Confirm can ask somebody.
	CanAsk() bool
	// Confirm asks the question and reports whether the answer is yes.
	Confirm(ctx context.Context, asked Question) bool
}

// Question asks whether lookups may be sent for at most the possible cost.
type Question struct {
	Lookups  int64
	Covered  int64 // of the lookups, at least, by the ceilings
	Possible cost.Money
	Beyond   *cost.Money // the approval threshold when it is lower than the possible cost, else nil
}

// List says which list is read, how it is read, and what is asked of it.
type List struct {
	Names []string // files, patterns, or listfile.Standard
	listfile.Options
	Memory int64    // that the persons may take, in bytes
	Run    string   // the name of the run; "" for one from the list and the fields
	Fields []string // the words for what is wanted
	// UsualFields says that nobody chose the fields.
	UsualFields bool
	From        []string // the interfaces that are asked, in their order; none for the usual ones
	Mapping     []string
	Preset      string // of the program whose export the list is; "" to find it
	MapFile     string // a mapping file; "" to find that of the list
	Recorded    RecordedColumns
	Held        columns.Held // which values in further columns count as held
	CopyHeld    bool         // such a value is copied into the row's own empty cell
	Prefer      enrich.Pattern
	Reask       attempt.Reask
	Limit       int64 // 0 for none
	Priority    string
	// CompleteFirst says that the rows that the ceilings can complete are looked up before all others.
	CompleteFirst bool
	Selected      string // a file of candidates in which somebody selected some; "" for none
	Resolve       bool   // the service chooses where a search cannot decide
	// Fallback says that a subject which its first identity does not find is asked for by its others.
	Fallback bool
	// FallbackByDefault says that the user did not choose Fallback. Then a recorded run keeps its own choice, and not all
	// interfaces are asked for persons by further identities.
	FallbackByDefault bool
	// OnlyCompaniesFallBack says that Fallback is about companies alone, as in runs for people and in those of earlier
	// versions.
	OnlyCompaniesFallBack bool
	// Figures are those that the output shows in columns of their own, for each of Years; without years, for the latest.
	Figures []string
	Years   []int // ascending
	// AcceptMismatch says that rows also get the values of answers that contradict them.
	AcceptMismatch bool
	// Found are rows that are read in place of those of the files; nil for those of the files.
	Found *FoundRows
}

// FoundRows are people that a search has found for the companies of a list.
type FoundRows struct {
	Text  []byte   // the rows as comma separated values
	Paths []string // of the files of the list; none for standard input
	// People says what was searched for, and Search how, for the record of the run.
	People string
	Search checkpoint.PeopleSearch
	Stop   string // why the search ended early; "" when it did not
}

// open opens the list.
func (l List) open() (*columns.UserList, error) {
	if l.Found == nil {
		return columns.OpenList(l.Options, l.Names...)
	}
	read := listfile.Options{Delimiter: "comma", HeaderRow: 1, TempDir: l.TempDir, Stdin: func() io.Reader { return bytes.NewReader(l.Found.Text) }}
	list, err := columns.OpenList(read, listfile.Standard)
	if err != nil {
		return nil, err
	}
	list.Names, list.Paths = l.Names, l.Found.Paths
	return list, nil
}

// RecordedColumns is how a run or a kept plan read the columns of its list. It wins over List.Mapping where the list
// has the same columns still.
type RecordedColumns struct {
	Columns []string // in the form of List.Mapping; none for no record
	Header  string   // the fingerprint of the names of the columns
	Fixed   bool     // no mapping file is looked for, also where there is no record
}

// Budget says what a run may spend.
type Budget = provider.Budget

// Pace says how lookups are sent within the limit of the workspace.
type Pace struct {
	Even         bool // spread over the window
	Concurrency  int
	LongestPause time.Duration // that the service may ask for without ending the run; 0 for a day
}

// Output says where the enriched list is written.
type Output struct {
	Path    string // listfile.Standard for Stdout
	Rejects string // the rows that could not be looked up; "" for nowhere
	// NewValues is the file of rows with new values; "" for nowhere.
	NewValues string
	Tables    string // the directory of the tables; "" for nowhere
	// TablesFormat is one of output.tableFormats.
	TablesFormat string
	// Candidates is the file for the companies among which somebody has to choose; "" for nowhere.
	Candidates string
	Keep       int // earlier versions of each file, at most
	Stdout     io.Writer
	Sources    []output.Source // files that are never overwritten, besides the list
}

// session is an open workspace with the lists that were opened for a use case.
type session struct {
	work  *Work
	place *workspace.Session
	lists []*columns.UserList
	// accounts are those that were opened.
	accounts []*provider.Account
	closers  []func() // of what else was opened
}

func (w *Work) open() *session {
	return &session{work: w, place: &workspace.Session{Options: w.Workspace, Env: w.Env}}
}

// with runs a use case and closes what it opened.
func with[T any](w *Work, do func(*session) (T, error)) (result T, err error) {
	s := w.open()
	defer func() {
		if _, isCoded := errors.AsType[*problem.Error](err); s.journal() != nil && !isCoded {
			err = s.journal().OrFailedOver(err)
		}
		err = errors.Join(workspace.ReadError(err), s.close())
	}()
	return do(s)
}

// withReading runs a use case that reads the workspace's journal, which has to exist, and writes files.
func withReading[T any](ctx context.Context, w *Work, doing string, do func(*session) (T, error)) (T, error) {
	return with(w, func(s *session) (T, error) {
		if err := s.place.ReadToRecord(ctx, doing); err != nil {
			var none T
			return none, err
		}
		return do(s)
	})
}

func (s *session) close() error {
	for _, account := range s.accounts {
		account.Close()
	}
	for _, end := range s.closers {
		end()
	}
	return errors.Join(s.closeLists(), s.place.Close())
}

func (s *session) closeLists() (err error) {
	for _, list := range s.lists {
		err = errors.Join(err, list.Close())
	}
	return err
}

// journal returns the open journal, nil before it is opened.
func (s *session) journal() *checkpoint.Journal { return s.place.Journal }

func (s *session) now() time.Time { return s.place.Now() }

func (s *session) note(text string) { s.work.Observer.Note(text) }

// WithSession calls do with the workspace, and closes what it opened.
func WithSession[T any](w *Work, do func(*workspace.Session) (T, error)) (T, error) {
	return with(w, func(s *session) (T, error) { return do(s.place) })
}

// WithJournal calls do with the workspace and its journal, which has to exist and is only read.
func WithJournal[T any](ctx context.Context, w *Work, doing string, do func(*workspace.Session) (T, error)) (T, error) {
	return with(w, func(s *session) (T, error) {
		if err := s.place.Read(ctx, doing); err != nil {
			var none T
			return none, err
		}
		return do(s.place)
	})
}
