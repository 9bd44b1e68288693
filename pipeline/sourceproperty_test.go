package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/columns"
	"payonce/pipeline/workspace"
)

// TestAnOutputLeftInPlaceEqualsANewOne changes lists, options, files and the journal at random, and runs a
// list after each change. Whether the run leaves its output or writes it, the output has the same bytes as one that
// another program writes elsewhere.
func TestAnOutputLeftInPlaceEqualsANewOne(t *testing.T) {
	t.Parallel()
	var left, written atomic.Int64
	t.Cleanup(func() { // when all seeds have ended
		if left.Load() < 15 || written.Load() < 15 {
			t.Errorf("%d outputs were left and %d written, which is too few", left.Load(), written.Load())
		}
	})
	for seed := range uint64(3) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			c := newChanging(t, seed)
			for range 30 {
				c.change()
				before, _ := os.Stat(c.path("out.csv"))
				c.run("main", "list.csv", "out.csv")
				if after, err := os.Stat(c.path("out.csv")); err == nil && before != nil && os.SameFile(before, after) {
					left.Add(1)
				} else {
					written.Add(1)
				}
				c.compare()
			}
		})
	}
}

// changing is a list that is run again and again.
type changing struct {
	t       *testing.T
	draw    *rand.Rand
	dir     string
	notes   [6]byte // a cell of each row
	options RunOptions
}

func newChanging(t *testing.T, seed uint64) *changing {
	c := &changing{t: t, draw: rand.New(rand.NewPCG(seed, 7)), dir: t.TempDir(), notes: [6]byte{'a', 'a', 'a', 'a', 'a', 'a'}}
	c.options = RunOptions{
		List:   List{Fields: []string{"email"}, Prefer: enrich.ByProfile, Memory: 1 << 20},
		Budget: Budget{MaxSpend: new(50 * cost.Dollar)}, Pace: Pace{Concurrency: 4}, Yes: true,
	}
	c.writeLists()
	return c
}

func (c *changing) path(name string) string { return filepath.Join(c.dir, name) }

func (c *changing) check(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// row returns a row of a list. The last one names nobody.
func (c *changing) row(n int) string {
	if n == len(c.notes)-1 {
		return fmt.Sprintf("Zoe,,,,%c\n", c.notes[n])
	}
	return fmt.Sprintf("Ann,%s,Acme,,%c\n", strings.Repeat("e", n+1), c.notes[n])
}

// writeLists writes the list, and another one with the first and the third of its rows.
func (c *changing) writeLists() {
	text := "first_name,last_name,company,email,note\n"
	other := text + c.row(0) + c.row(2)
	for n := range c.notes {
		text += c.row(n)
	}
	c.check(os.WriteFile(c.path("list.csv"), []byte(text), 0o600))
	c.check(os.WriteFile(c.path("other.csv"), []byte(other), 0o600))
	at := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC) // whatever they hold
	c.check(os.Chtimes(c.path("list.csv"), at, at))
}

// change changes one thing, or nothing.
func (c *changing) change() {
	list := &c.options.List
	switch c.draw.IntN(18) {
	case 0:
		c.notes[c.draw.IntN(len(c.notes))] = byte('a' + c.draw.IntN(26))
		c.writeLists()
	case 1, 10, 11:
		list.Fields = [][]string{{"email"}, {"phone"}, {"email", "phone"}}[c.draw.IntN(3)]
	case 2:
		list.Limit = c.draw.Int64N(4)
	case 3:
		list.Held = []columns.Held{columns.HeldAll, columns.HeldNone}[c.draw.IntN(2)]
	case 4:
		c.options.Output.Rejects = []string{"", c.path("rejects.csv")}[c.draw.IntN(2)]
	case 5:
		_ = os.Remove(c.path([]string{"out.csv", "rejects.csv"}[c.draw.IntN(2)]))
	case 6:
		c.check(os.WriteFile(c.path("out.csv"), []byte("edited\n"), 0o600))
	case 7:
		c.run("other", "other.csv", "other.out.csv")
	case 8:
		c.erase(func(j *checkpoint.Journal) error {
			_, err := j.Prune(time.Now())
			return err
		})
	case 9:
		who := enrich.Identity{FirstName: "Ann", LastName: strings.Repeat("e", 1+c.draw.IntN(5)), CompanyName: "Acme"}
		c.erase(func(j *checkpoint.Journal) error {
			found, err := j.Find(checkpoint.Person{Identity: who}, func(_ string, answered enrich.Answered) (facts checkpoint.PersonFacts, err error) {
				facts.Name, facts.Email, facts.Phone, err = new(v1.AnswerDecoder).Person(answered)
				return facts, err
			})
			if err == nil {
				_, err = j.Forget(found)
			}
			return err
		})
	}
}

// erase opens the journal and erases something.
func (c *changing) erase(erase func(*checkpoint.Journal) error) {
	_, err := WithSession(workIn(c.dir), func(s *workspace.Session) (struct{}, error) {
		err := s.OpenJournal(context.Background(), "a test")
		if err == nil {
			err = erase(s.Journal)
		}
		return struct{}{}, err
	})
	c.check(err)
}

// run runs a list with the options as they are.
func (c *changing) run(name, list, out string) {
	c.t.Helper()
	work, options := workIn(c.dir), c.options
	work.Env.Build = func() string { return "the program" }
	options.List.Run, options.List.Names, options.Output.Path = name, []string{c.path(list)}, c.path(out)
	if name != "main" {
		options.Output.Rejects = ""
	}
	_, err := work.Run(c.t.Context(), options, silent{})
	c.check(err)
}

// compare compares the files of the run with those that are written elsewhere, by a program that always writes.
func (c *changing) compare() {
	c.t.Helper()
	to := Output{Path: c.path("elsewhere.csv")}
	if c.options.Output.Rejects != "" {
		to.Rejects = c.path("elsewhere.rejects.csv")
	}
	_, err := workIn(c.dir).Write(c.t.Context(), "main", List{Memory: 1 << 20}, to)
	c.check(err)
	for name, path := range map[string]string{c.path("out.csv"): to.Path, c.options.Output.Rejects: to.Rejects} {
		if name == "" {
			continue
		}
		got, err := os.ReadFile(name)
		c.check(err)
		want, err := os.ReadFile(path)
		c.check(err)
		if !bytes.Equal(got, want) {
			c.t.Fatalf("%s is\n%s\nand would be\n%s", name, got, want)
		}
	}
}
