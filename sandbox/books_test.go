package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

// lookup returns a question by name and company.
func lookup(fields enrich.Fields, first string) question {
	id, reason := enrich.Contact{FirstName: first, LastName: "Tester", CompanyName: "Acme"}.Identify(enrich.ByName)
	if reason != "" {
		panic(reason)
	}
	return question{operation: fields.Operation(), identity: id, fields: fields}
}

func openOn(t interface {
	Helper()
	Fatal(...any)
}, config Config,
) *Server {
	t.Helper()
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBooksStayInBalance drives the books with random operations, over a random
// account, and kills and reopens them now and then.
func TestBooksStayInBalance(t *testing.T) {
	directory := t.TempDir()
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		now := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
		config := DefaultConfig()
		config.Now = func() time.Time { return now }
		config.BooksPath = filepath.Join(directory, time.Duration(run).String())
		config.Free = [enrich.NumFields]int64{rapid.Int64Range(0, 3).Draw(t, "free emails"), rapid.Int64Range(0, 3).Draw(t, "free phones")}
		config.IncludedCents = rapid.Int64Range(0, 100).Draw(t, "included")
		config.PrepaidCents = rapid.Int64Range(0, 100).Draw(t, "prepaid")
		config.AttemptLimit = rapid.IntRange(0, 30).Draw(t, "attempt limit")
		config.Window.Limit = rapid.IntRange(1, 10).Draw(t, "window")
		if !rapid.Bool().Draw(t, "capped") {
			config.BudgetCapCents = nil
		} else {
			*config.BudgetCapCents = rapid.Int64Range(0, 150).Draw(t, "cap")
		}
		config.Prices = cost.Prices{enrich.WorkEmail: 15 * cost.Cent, enrich.BusinessPhone: cost.Money(rapid.Int64Range(0, 333_333).Draw(t, "phone price"))}
		s := openOn(t, config)
		var open []int
		take := func(t *rapid.T) int {
			if len(open) == 0 {
				t.Skip("nothing is reserved")
			}
			i := rapid.IntRange(0, len(open)-1).Draw(t, "reservation")
			number := open[i]
			open = append(open[:i], open[i+1:]...)
			return number
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { checkBalance(t, s) },
			"ask": func(t *rapid.T) {
				q := lookup(enrich.Fields(rapid.IntRange(1, 3).Draw(t, "fields")), "Ada")
				if a := s.books.arrive(q, true); a.code == "" && s.books.reserve(a.number, q.fields) == "" {
					open = append(open, a.number)
				}
			},
			"settle": func(t *rapid.T) {
				number, returned := take(t), enrich.Fields(rapid.IntRange(0, 3).Draw(t, "returned"))
				if err := s.books.settle(number, "req", returned); err != nil {
					t.Fatal(err)
				}
			},
			"release": func(t *rapid.T) { s.books.release(take(t)) },
			"spend": func(t *rapid.T) {
				if _, err := s.SpendCredit(cost.Money(rapid.Int64Range(0, 500_000).Draw(t, "amount"))); err != nil {
					t.Fatal(err)
				}
			},
			"budget": func(t *rapid.T) {
				if err := s.SetBudgetCap(cost.Cents(rapid.Int64Range(0, 200).Draw(t, "new cap"))); err != nil {
					t.Fatal(err)
				}
			},
			"wait": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(1, 200_000).Draw(t, "seconds")) * time.Second)
			},
			"kill": func(t *rapid.T) {
				for _, number := range open { // the dead reserve nothing
					s.books.release(number)
				}
				open = nil
				reopened := openOn(t, config)
				checkSame(t, s, reopened)
				_ = s.Close()
				s = reopened
			},
		})
		_ = s.Close()
	})
}

func checkBalance(t *rapid.T, s *Server) {
	if err := s.Audit(); err != nil {
		t.Fatal(err)
	}
	shown := s.books.status()
	if b := shown.PaidBalance; b.AvailableCents < 0 || b.IncludedCents < 0 || b.PrepaidCents < 0 {
		t.Fatalf("balance %+v", b)
	}
	if b := shown.UsageBudget; b != nil && b.RemainingCents < 0 {
		t.Fatalf("budget %+v", b)
	}
}

// checkSame compares what two servers know, and what they would do next.
func checkSame(t interface{ Fatalf(string, ...any) }, before, after *Server) {
	if diff := cmp.Diff(before.Books(), after.Books()); diff != "" {
		t.Fatalf("books (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(before.books.status(), after.books.status()); diff != "" {
		t.Fatalf("status (-before +after):\n%s", diff)
	}
	now := before.books.now()
	if b, a := before.books.window.wait(now), after.books.window.wait(now); b != a {
		t.Fatalf("the window was closed for %s, and after the restart for %s", b, a)
	}
	if b, a := before.books.revoked, after.books.revoked; b != a {
		t.Fatalf("revoked %t, and after the restart %t", b, a)
	}
}

// TestKill ends a service in the middle of a lookup, without Close.
func TestKill(t *testing.T) {
	config := DefaultConfig()
	config.BooksPath = filepath.Join(t.TempDir(), "books")
	config.Window.Limit, config.AttemptLimit = 4, 5
	config.Free = [enrich.NumFields]int64{1, 0}
	s := openOn(t, config)
	for range 2 {
		a := s.books.arrive(lookup(enrich.AllFields, "Zoë"), true)
		if code := s.books.reserve(a.number, enrich.AllFields); code != "" {
			t.Fatal(code)
		}
		if err := s.books.settle(a.number, "req_1", enrich.AllFields); err != nil {
			t.Fatal(err)
		}
	}
	a := s.books.arrive(lookup(enrich.AllFields, "Max"), true)
	if err := s.books.refuse(a.number, ReservationConflict); err != nil {
		t.Fatal(err)
	}
	before := s.Books()
	a = s.books.arrive(lookup(enrich.AllFields, "Eve"), true) // its reservation dies with the service
	if code := s.books.reserve(a.number, enrich.AllFields); code != "" {
		t.Fatal(code)
	}

	after := openOn(t, config)
	books := after.Books()
	if len(books.Arrivals) != 4 || books.Charged != 65*cost.Cent || books.FreeUsed != [2]int64{1, 0} || books.Reserved != 0 {
		t.Errorf("books after the restart: %+v", books)
	}
	if diff := cmp.Diff(before.Charges, books.Charges); diff != "" {
		t.Errorf("charges (-before +after):\n%s", diff)
	}
	if a := after.books.arrive(lookup(enrich.AllFields, "Eve"), true); a.number != 5 || a.code != RateLimited {
		t.Errorf("the fifth arrival is %+v; the window was forgotten", a)
	}
	if err := after.Audit(); err != nil {
		t.Error(err)
	}
	if err := after.RevokeKey(); err != nil {
		t.Error(err)
	}
	if a := openOn(t, config).books.arrive(lookup(enrich.AllFields, "Eve"), true); a.number != 6 || a.code != InvalidAPIKey {
		t.Errorf("the sixth arrival is %+v; the revocation was forgotten", a)
	}
}

// writeBooks fills a file of books with one settled lookup and returns its text.
func writeBooks(t *testing.T, config Config) string {
	t.Helper()
	s := openOn(t, config)
	a := s.books.arrive(lookup(enrich.AllFields, "Ada"), true)
	_ = s.books.reserve(a.number, enrich.AllFields)
	if err := s.books.settle(a.number, "req_1", enrich.AllFields); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(config.BooksPath)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTornBooks cuts the file at every byte: what is whole stays, what is torn
// goes, and the books can be written on.
func TestTornBooks(t *testing.T) {
	config := DefaultConfig()
	config.BooksPath = filepath.Join(t.TempDir(), "books")
	text := writeBooks(t, config)
	for length := range len(text) {
		if err := os.WriteFile(config.BooksPath, []byte(text[:length]), 0o600); err != nil {
			t.Fatal(err)
		}
		lines := max(0, strings.Count(text[:length], "\n")-1)
		s := openOn(t, config)
		if books := s.Books(); len(books.Arrivals) != min(lines, 1) || (len(books.Charges) > 0) != (lines == 2) {
			t.Fatalf("%d bytes: %+v", length, books)
		}
		s.books.arrive(lookup(enrich.AllFields, "Eve"), true)
		_ = s.Close()
		again := openOn(t, config)
		if n := len(again.Books().Arrivals); n != min(lines, 1)+1 {
			t.Fatalf("%d bytes: %d arrivals after writing on", length, n)
		}
		_ = again.Close()
	}
}

func TestBooksThatCannotBeUsed(t *testing.T) {
	config := DefaultConfig()
	config.BooksPath = filepath.Join(t.TempDir(), "books")
	text := writeBooks(t, config)
	poor := config
	poor.Free = [enrich.NumFields]int64{}
	tests := []struct {
		name   string
		config Config
		text   string
		want   string
	}{
		{"another file", config, "name,email\nAda,", "something else"},
		{"another file without a line", config, "Ada", "something else"},
		{"a bad line in the middle", config, strings.Replace(text, `{"kind":"arrived"`, `{"kind:"arrived"`, 1), "line 2"},
		{"an unknown kind", config, strings.Replace(text, `"kind":"settled"`, `"kind":"gifted"`, 1), `line 3: an entry of the unknown kind "gifted"`},
		{"an unknown member", config, strings.Replace(text, `"kind":"settled"`, `"kind":"settled","tip":1`, 1), "line 3"},
		{"an unknown field", config, strings.Replace(text, `{"field":"work_email"`, `{"field":"fax"`, 1), `there is no field "fax"`},
		{"arrivals out of order", config, strings.Replace(text, `"number":1`, `"number":2`, 1), "arrival 2 where 1 was to come"},
		{"a settlement of nobody", config, ledgerHeader + strings.SplitAfter(text, "\n")[2], "arrival 1 has not arrived"},
		{"more charged than there is", poor, text, "configure at least as much"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile(config.BooksPath, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := New(test.config)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), config.BooksPath) {
				t.Errorf("error %v, want one with %q and the file's name", err, test.want)
			}
			if left, _ := os.ReadFile(config.BooksPath); string(left) != test.text {
				t.Error("the file was changed")
			}
		})
	}
}

// TestBooksThatCannotBeWritten: nothing is charged, shown or begun any more.
func TestBooksThatCannotBeWritten(t *testing.T) {
	config := DefaultConfig()
	config.UnknownRate, config.MatchRates = 0, [enrich.NumFields]float64{1, 1}
	config.BooksPath = filepath.Join(t.TempDir(), "books")
	s := openOn(t, config)
	q := lookup(enrich.AllFields, "Ada")
	a := s.books.arrive(q, true)
	_ = s.books.ledger.file.Close() // as good as a full disk
	var r reply
	s.perform(t.Context(), a.number, q, 0, &r)
	if r.refusal == nil || r.refusal.code != ServiceMisconfigured {
		t.Errorf("reply %+v", r)
	}
	if r := s.ask(t.Context(), true, q, nil); r.refusal == nil || r.refusal.code != ServiceMisconfigured {
		t.Errorf("the next reply %+v", r)
	}
	if books := s.Books(); len(books.Charges) != 0 || books.Reserved != 0 || s.Audit() != nil {
		t.Errorf("books %+v", books)
	}
}

func TestBooksAreWrittenBeforeTheAnswer(t *testing.T) {
	config := DefaultConfig()
	config.UnknownRate, config.MatchRates = 0, [enrich.NumFields]float64{1, 1}
	config.BooksPath = filepath.Join(t.TempDir(), "books")
	s := openOn(t, config)
	r := s.ask(t.Context(), true, lookup(enrich.AllFields, "Ada"), nil)
	text, err := os.ReadFile(config.BooksPath)
	if err != nil || r.refusal != nil || !strings.Contains(string(text), r.result.RequestID) {
		t.Errorf("%v; the reply %+v is not in the books:\n%s", err, r, text)
	}
	if info, err := os.Stat(config.BooksPath); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("books hold people's names: mode %v, %v", info.Mode(), err)
	}
}

// FuzzRestore: no file makes the books panic, and what they accept they keep.
func FuzzRestore(f *testing.F) {
	f.Add("")
	f.Add(ledgerHeader + `{"kind":"arrived","at":"2026-11-21T02:37:00Z","number":1}` + "\n" + `{"kind":"set`)
	f.Add(ledgerHeader + `{"kind":"budget_set","at":"2026-11-21T02:37:00Z","amount":"-0.01"}` + "\n")
	path := filepath.Join(f.TempDir(), "books")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		config := DefaultConfig()
		config.BooksPath = path
		s, err := New(config)
		if err != nil {
			return
		}
		defer s.Close()
		again := openOn(t, config)
		defer again.Close()
		if diff := cmp.Diff(s.Books(), again.Books()); diff != "" {
			t.Errorf("opened twice (-first +second):\n%s", diff)
		}
	})
}
