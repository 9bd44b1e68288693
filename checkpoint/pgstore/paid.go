package pgstore

import (
	"encoding/binary"

	"github.com/jackc/pgx/v5"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// queuePaid adds the statements that keep the table of what was paid for, or may have been. The decisions of the
// journal never ask for such a field, so the unique index of the table refuses no commit of a correct program.
//
// For a copy, it also inserts intents whose identity was erased, and skips fields that earlier programs asked for
// again.
func queuePaid(batch *pgx.Batch, workspace string, writes []record.Write, isCopy bool) error {
	insertion := "INSERT INTO payonce_paid (workspace, subject, field, allowed_by, attempt) VALUES ($1, $2, $3, $4, $5)"
	if isCopy {
		insertion += " ON CONFLICT DO NOTHING"
	}
	for _, w := range writes {
		if len(w.Key) != record.IDKeyLength || w.Value == nil {
			continue
		}
		id := int64(record.IDOf(w.Key))
		switch w.Key[0] {
		case record.IntentPrefix:
			var in record.Intent
			if err := record.Decode(w.Key, w.Value, &in); err != nil {
				return err
			}
			if in.Erased && !isCopy {
				continue // it is written again
			}
			if in.Identity.Subject() == enrich.Searches { // a page may be asked for again, because it changes
				batch.Queue("DELETE FROM payonce_paid WHERE workspace = $1 AND subject = $2 AND field = ANY($3::int2[]) AND settled",
					workspace, in.Key[:], numbersOf(in.Hold.Fields))
			}
			for f := range in.Hold.Fields.Each() {
				batch.Queue(insertion, workspace, in.Key[:], int16(f), allowedBy(&in, f), id)
			}
		case record.ResolutionPrefix:
			var res attempt.Resolution
			if err := record.Decode(w.Key, w.Value, &res); err != nil {
				return err
			}
			var kept enrich.Fields
			if res.State == attempt.Settled {
				kept = res.Returned
			}
			if res.State == attempt.Settled || res.Rejected { // a value that was found before does not count any more
				batch.Queue(`DELETE FROM payonce_paid AS earlier USING payonce_paid AS own WHERE own.workspace = $1 AND own.attempt = $2
					AND own.field <> ALL($3::int2[]) AND earlier.workspace = $1 AND earlier.subject = own.subject AND earlier.field = own.field
					AND earlier.attempt < own.attempt AND earlier.settled`, workspace, id, numbersOf(kept))
			}
			batch.Queue("DELETE FROM payonce_paid WHERE workspace = $1 AND attempt = $2 AND field <> ALL($3::int2[])", workspace, id, numbersOf(kept))
			batch.Queue("UPDATE payonce_paid SET settled = true WHERE workspace = $1 AND attempt = $2", workspace, id)
		}
	}
	return nil
}

// allowedBy names what allows a field to be paid for once more: an observed change, or a charge whose answer was lost.
// It is empty for a field that was not paid for before. All changes that were observed after the same attempt together
// allow one call.
func allowedBy(in *record.Intent, f enrich.Field) []byte {
	lost := in.Earlier[f]
	switch {
	case in.UpTo != 0:
		return binary.BigEndian.AppendUint64([]byte{'c'}, uint64(in.UpTo))
	case len(lost) > 0:
		return binary.BigEndian.AppendUint64([]byte{'l'}, uint64(lost[len(lost)-1]))
	}
	return []byte{}
}

// numbersOf returns the numbers of fields.
func numbersOf(fields enrich.Fields) []int16 {
	numbers := []int16{}
	for f := range fields.Each() {
		numbers = append(numbers, int16(f))
	}
	return numbers
}
