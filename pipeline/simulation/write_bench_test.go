//go:build unix

package simulation_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dchest/siphash"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// outputRows is the length of the list of BenchmarkOutput.
const outputRows = 300_000

// BenchmarkOutput compares the output of a run, of whose rows none or a tenth are answered,
// with a plain copy of the list by the same scanner and with a loop of encoding/csv. All take
// turns in one run, so that the ratios depend little on what else the machine does. The ratios
// are of the least processor time of each, and of the least time.
func BenchmarkOutput(b *testing.B) {
	var text bytes.Buffer
	if err := world.WriteListCSV(&text, world.LargeList(1, outputRows)); err != nil {
		b.Fatal(err)
	}
	list := csvList(text.String())
	output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: list.scope(b, v1.AllFields), Run: "run", Stopped: "ceiling:max-spend"}
	nobody, some := newHeldAnswers(b, list, output.Scope, 0), newHeldAnswers(b, list, output.Scope, 10)
	works := map[string]func(){
		"copy":     func() { copyList(b, list) },
		"standard": func() { copyStandard(b, list) },
		"none":     func() { writeOutput(b, list, output, nobody) },
		"tenth":    func() { writeOutput(b, list, output, some) },
	}
	least := map[string]spent{}
	for b.Loop() {
		for name, work := range works {
			least[name] = least[name].orLess(measure(work))
		}
	}
	for name, s := range least {
		b.ReportMetric(float64(s.processor.Nanoseconds())/outputRows, name+"-cpu-ns/row")
		if name != "copy" {
			b.ReportMetric(float64(s.processor)/float64(least["copy"].processor), name+"-cpu/copy")
			b.ReportMetric(float64(s.elapsed)/float64(least["copy"].elapsed), name+"/copy")
		}
	}
}

// spent is what some work took.
type spent struct{ processor, elapsed time.Duration }

func (s spent) orLess(other spent) spent {
	if s == (spent{}) {
		return other
	}
	return spent{min(s.processor, other.processor), min(s.elapsed, other.elapsed)}
}

func measure(work func()) spent {
	processor := func() time.Duration {
		var usage syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // a benchmark can do without
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	begun, used := time.Now(), processor()
	work()
	return spent{processor() - used, time.Since(begun)}
}

func writeOutput(b *testing.B, list csvList, output output.Output, answers answering) {
	reader, err := csvtable.NewReader(strings.NewReader(string(list)), "list.csv", csvtable.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	writer := csvtable.NewWriter(io.Discard, reader, output.Columns(reader.Schema()))
	rows, err := callAndWrite(b.Context(), output, list, answers, writer, nil)
	if err := errors.Join(err, writer.Close()); err != nil || rows[scan.StatusFilled] == 0 {
		b.Fatal(rows, err)
	}
}

// copyList parses every row and writes it as it is.
func copyList(b *testing.B, list csvList) {
	reader, err := csvtable.NewReader(strings.NewReader(string(list)), "list.csv", csvtable.Options{})
	if err != nil {
		b.Fatal(err)
	}
	writer := csvtable.NewWriter(io.Discard, reader, nil)
	err = table.Ordered(b.Context(), reader, func(block table.Block) (table.Part, error) {
		part := writer.Part(block)
		return part, block.Each(func(row table.Row) error { return part.WriteRow(row, nil, nil) })
	}, func(_ table.Block, part table.Part) error { return writer.Write(part) })
	if err := errors.Join(err, writer.Close(), reader.Close()); err != nil {
		b.Fatal(err)
	}
}

// copyStandard is the loop that people write by hand: it appends as many cells.
func copyStandard(b *testing.B, list csvList) {
	reader, writer := csv.NewReader(strings.NewReader(string(list))), csv.NewWriter(io.Discard)
	reader.ReuseRecord = true
	var out []string
	for {
		row, err := reader.Read()
		if err == io.EOF {
			break
		}
		out = append(append(out[:0], row...), "", "", "not_attempted", "ceiling:max-spend", "", "", "", "")
		if err := errors.Join(err, writer.Write(out)); err != nil {
			b.Fatal(err)
		}
	}
	if writer.Flush(); writer.Error() != nil {
		b.Fatal(writer.Error())
	}
}

// heldAnswers is a journal in memory that has answers on persons of a list.
type heldAnswers struct {
	attempts map[enrich.Key]attempt.ID
	shards   [256][]enrich.Key
	who      []enrich.Identity // by attempt
	ended    []attempt.Resolution
}

// newHeldAnswers answers one row in each; with 0 it answers none.
func newHeldAnswers(b *testing.B, list csvList, scope scan.Scope, each int64) *heldAnswers {
	j := &heldAnswers{attempts: map[enrich.Key]attempt.ID{}, who: make([]enrich.Identity, 1), ended: make([]attempt.Resolution, 1)}
	if each == 0 {
		return j
	}
	reader, err := list.Open(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	answer := v1.EncodeAnswer(v1.Answer{
		Status: enrich.Matched, FullName: "Ada Lovelace", WorkEmail: "ada.lovelace@harbor-foods-12.example", BusinessPhone: "+1 311 555 0136",
		PhoneType: "direct", RequestID: "req_0123456789abcdef", RetrievedAt: at, Provenance: "service",
	})
	text := func(line table.Row, role columns.Role) string { return string(line.Cell(scope.Mapping.Column(role))) }
	err = table.Ordered(b.Context(), reader, func(block table.Block) (people []enrich.Identity, err error) {
		err = block.Each(func(line table.Row) error {
			contact := enrich.Contact{
				ProfileURL: text(line, columns.ProfileURL), FirstName: text(line, columns.FirstName), LastName: text(line, columns.LastName),
				CompanyDomain: text(line, columns.CompanyDomain), CompanyName: text(line, columns.CompanyName),
			}
			if who, reason := contact.Identify(scope.Prefer); reason == "" && line.Number()%each == 0 {
				people = append(people, who)
			}
			return nil
		})
		return people, err
	}, func(_ table.Block, people []enrich.Identity) error {
		for _, who := range people {
			key := j.KeyOf([]byte(who.Canonical()))
			if j.attempts[key] == 0 {
				j.attempts[key] = attempt.ID(len(j.who))
				j.shards[key[0]] = append(j.shards[key[0]], key)
				j.who = append(j.who, who)
				j.ended = append(j.ended, attempt.Resolution{
					State: attempt.Settled, At: at, Run: "run", Charge: cost.Charge{Amounts: cost.OfMoney(40 * cost.Cent)},
					Status: answer.Status, Returned: answer.Returned, Data: answer.Data, RequestID: answer.RequestID,
				})
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return j
}

func (j *heldAnswers) KeyOf(canonical []byte) (key enrich.Key) {
	low, high := siphash.Hash128(1, 2, canonical)
	for i := range 8 {
		key[i], key[8+i] = byte(low>>(8*i)), byte(high>>(8*i))
	}
	return key
}

func (j *heldAnswers) People() int64 { return int64(len(j.attempts)) }

func (j *heldAnswers) Records(first, last enrich.Key, visit func(enrich.Key, func() (attempt.Record, error)) error) error {
	for _, key := range j.shards[first[0]] {
		if err := visit(key, func() (attempt.Record, error) { return j.RecordOf(key, enrich.PossibleFields) }); err != nil {
			return err
		}
	}
	return nil
}

func (j *heldAnswers) RecordOf(key enrich.Key, fields enrich.Fields) (record attempt.Record, err error) {
	if id := j.attempts[key]; id != 0 {
		record.States = enrich.ByField[attempt.FieldState]{attempt.Found, attempt.Found}
		record.Attempts = enrich.ByField[attempt.ID]{id, id}
	}
	return only(record, fields), nil
}

func (j *heldAnswers) Recall(int64, bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	return func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
		if !slices.IsSorted(ids) {
			return known, errors.New("the attempts do not ascend")
		}
		for _, id := range ids {
			known = append(known, attempt.Outcome{ID: id, Who: j.who[id], Ended: j.ended[id]})
		}
		return known, nil
	}
}
