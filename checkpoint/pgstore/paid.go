package pgstore

import (
	"encoding/binary"
	"slices"

	"github.com/jackc/pgx/v5"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// queuePaid adds the statements that keep the table of what was paid for, or may have been. The decisions of the journal
// never ask for such a field, so the unique index of the table refuses no commit of a correct program.
func queuePaid(batch *pgx.Batch, workspace string, writes []record.Write) error {
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
			if in.Erased {
				continue // it is written again
			}
			if in.Identity.Subject() == enrich.Searches { // a page may be asked for again, because it changes
				batch.Queue("DELETE FROM payonce_paid WHERE workspace = $1 AND subject = $2 AND field = ANY($3::int2[]) AND settled",
					workspace, in.Key[:], numbersOf(in.Hold.Fields))
			}
			reasons := [][]byte{}
			for f := range in.Hold.Fields.Each() {
				reasons = append(reasons, reasonOf(&in, f))
			}
			batch.Queue("INSERT INTO payonce_paid (workspace, subject, field, observed, attempt) SELECT $1, $2, field, observed, $4 FROM unnest($3::int2[], $5::bytea[]) AS asked (field, observed)",
				workspace, in.Key[:], numbersOf(in.Hold.Fields), id, reasons)
		case record.ResolutionPrefix:
			var res attempt.Resolution
			if err := record.Decode(w.Key, w.Value, &res); err != nil {
				return err
			}
			var kept enrich.Fields
			if res.State == attempt.Settled {
				kept = res.Returned
			}
			batch.Queue("DELETE FROM payonce_paid WHERE workspace = $1 AND attempt = $2 AND field <> ALL($3::int2[])", workspace, id, numbersOf(kept))
			batch.Queue("UPDATE payonce_paid SET settled = true WHERE workspace = $1 AND attempt = $2", workspace, id)
		}
	}
	return nil
}

// reasonOf says why a field may be paid for once more; it is empty for the first call. A lost answer is bought again once: the
// attempt that was charged names the reason. Of an observed change an answer is newer than the attempts up to one. Changes
// that were observed after the same attempt allow one call together.
func reasonOf(in *record.Intent, f enrich.Field) []byte {
	reason := in.UpTo
	if lost, last := in.Earlier[f], in.Before[f]; len(lost) > 0 && slices.Contains(last, lost[len(lost)-1]) {
		reason = lost[len(lost)-1]
	}
	if reason == 0 {
		return []byte{}
	}
	return binary.BigEndian.AppendUint64(nil, uint64(reason))
}

// numbersOf returns the numbers of fields.
func numbersOf(fields enrich.Fields) []int16 {
	numbers := []int16{}
	for f := range fields.Each() {
		numbers = append(numbers, int16(f))
	}
	return numbers
}
