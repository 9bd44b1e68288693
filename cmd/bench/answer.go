package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/badgerstore"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
	"payonce/io/table"
)

const (
	// tenthRun is the run whose output is written.
	tenthRun = "tenth"
	// inFlight is how many lookups are under way at the same time, so that they share syncs.
	inFlight = 256
	// One row in answeredOne is answered.
	answeredOne = 10
)

// answerTenth fills the journal of the embedded service in a state directory, as a run
// does that a ceiling stops: with a lookup and its answer for every tenth row of a list
// that misses something and names somebody. What is answered already is not asked again,
// so that the same journal serves several lists of the same rows.
func answerTenth(ctx context.Context, args []string, _ io.Writer) error {
	if len(args) != 2 {
		return errors.New("usage: bench answer LIST STATE")
	}
	list, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	store, err := badgerstore.Open(filepath.Join(args[1], "sandbox", "default"), badgerstore.Options{Holder: "bench answer"})
	if err != nil {
		return err
	}
	journal, err := checkpoint.New(store, checkpoint.Options{
		Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 1 << 20, Window: time.Millisecond}, Now: time.Now,
	})
	if err != nil {
		return err
	}
	err = fillJournal(ctx, journal, list)
	return errors.Join(err, journal.Close())
}

func fillJournal(ctx context.Context, journal *checkpoint.Journal, list string) error {
	run, found, err := journal.Run(tenthRun)
	if err != nil || found && run.List == list {
		return err
	}
	begun := time.Now()
	if err := answerAll(ctx, journal, list); err != nil {
		return err
	}
	return journal.SaveRun(checkpoint.Run{
		Name: tenthRun, List: list, Fields: "email,phone", Prefer: "profile", Output: list + ".enriched",
		MaxSpend: cost.Cents(1e9), Started: begun, Ended: time.Now(), Stop: "ceiling:max-spend",
	})
}

// answerAll sends the lookups of the list through the journal, many at the same time.
func answerAll(ctx context.Context, journal *checkpoint.Journal, list string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lookups := make(chan enrich.Lookup)
	var workers sync.WaitGroup
	for range inFlight {
		workers.Go(func() {
			for lookup := range lookups {
				if err := answer(journal, lookup); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	err := eachTenth(ctx, list, func(lookup enrich.Lookup) error {
		select {
		case lookups <- lookup:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(lookups)
	workers.Wait()
	return errors.Join(err, context.Cause(ctx))
}

// eachTenth hands the lookup of every tenth row to send, when it asks for something.
func eachTenth(ctx context.Context, path string, send func(enrich.Lookup) error) error {
	list, err := listfile.New(listfile.Options{}, path)
	if err != nil {
		return err
	}
	reader, err := list.Open(nil)
	if err != nil {
		return err
	}
	work := func(block table.Block) (lookups []enrich.Lookup, err error) {
		err = block.Each(func(row table.Row) error {
			if row.Number()%answeredOne == 0 {
				lookups = append(lookups, lookupOf(row))
			}
			return nil
		})
		return lookups, err
	}
	err = table.Ordered(ctx, reader, work, func(_ table.Block, lookups []enrich.Lookup) error {
		for _, lookup := range lookups {
			if lookup.Fields == 0 || lookup.Identity == (enrich.Identity{}) {
				continue
			}
			if err := send(lookup); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, reader.Close())
}

// lookupOf returns the lookup that a row of a generated list asks for.
func lookupOf(row table.Row) enrich.Lookup {
	cell := func(name string) []byte { return row.Cell(slices.Index(world.ListColumns(), name)) }
	var missing enrich.Fields
	if len(cell("email")) == 0 {
		missing = missing.With(v1.WorkEmail)
	}
	if len(cell("phone")) == 0 {
		missing = missing.With(v1.BusinessPhone)
	}
	cells := enrich.Cells{
		ProfileURL: cell("linkedin_url"), FirstName: cell("first_name"), LastName: cell("last_name"),
		CompanyDomain: cell("website"), CompanyName: cell("company"),
	}
	who, _ := cells.Contact().Identify(enrich.ByProfile)
	return enrich.Lookup{Identity: who, Fields: missing}
}

// answer takes a lookup through the journal, with an answer as the service gives it.
func answer(journal *checkpoint.Journal, lookup enrich.Lookup) error {
	decision, err := journal.Begin(attempt.Request{
		Lookup: lookup, Run: tenthRun, Strict: true,
		Rates: v1.Tariff().At(cost.Prices{v1.WorkEmail: cost.Cents(15), v1.BusinessPhone: cost.Cents(25)}),
	})
	if err != nil {
		return err
	}
	switch decision := decision.(type) {
	case attempt.Known, attempt.Blocked: // by another row of the same person, answered or under way
		return nil
	case attempt.Granted:
		ticket, err := decision.Ticket()
		if err != nil {
			return err
		}
		_, err = journal.Settle(ticket.ID, v1.EncodeAnswer(answerTo(ticket)))
		return err
	default:
		return fmt.Errorf("the journal decided %T", decision)
	}
}

func answerTo(ticket attempt.Ticket) v1.Answer {
	answer := v1.Answer{
		Status: enrich.Matched, Operation: "contact_enrichment", RequestID: fmt.Sprintf("req_%016x", uint64(ticket.ID)),
		FullName: "Ada Lovelace", RetrievedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Provenance: "service",
	}
	if ticket.Lookup.Fields.Has(v1.WorkEmail) {
		answer.WorkEmail = fmt.Sprintf("ada.lovelace.%d@harbor-foods-12.example", ticket.ID)
	}
	if ticket.Lookup.Fields.Has(v1.BusinessPhone) {
		answer.BusinessPhone, answer.PhoneType = fmt.Sprintf("+1 212 555 %04d", 100+ticket.ID%100), "direct"
	}
	return answer
}
