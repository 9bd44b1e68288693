package output

import (
	"bytes"

	"payonce/checkpoint/attempt"
	"payonce/pipeline/scan"
)

// attemptSet is a set of attempts, with a bit for each number. The numbers of a journal are dense.
type attemptSet []uint64

func (s *attemptSet) add(id attempt.ID) {
	word := int(id / 64)
	if word >= len(*s) {
		*s = append(*s, make(attemptSet, word+1-len(*s))...)
	}
	(*s)[word] |= 1 << (id % 64)
}

func (s attemptSet) has(id attempt.ID) bool {
	word := id / 64
	return word < attempt.ID(len(s)) && s[word]&(1<<(id%64)) != 0
}

// withCharges returns the sequence with the attempts whose charges rows of earlier steps show. Steps of one account can
// name the same subject in different rows, by different identities. The charge of its attempt is shown once.
func (s Sequence) withCharges() (Sequence, error) {
	all := append(Sequence(nil), s...)
	for i := range all {
		for _, earlier := range all[:i] {
			if earlier.Scope.Wanted&all[i].Scope.Wanted == 0 || !bytes.Equal(keyOf(earlier), keyOf(all[i])) {
				continue
			}
			if err := earlier.addCharged(&all[i].shown); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// keyOf returns a key that differs between accounts.
func keyOf(s StepOutput) []byte {
	key := s.Answers.KeyOf([]byte("account"))
	return key[:]
}

// rowsAtOnce is how many rows are read from an index together.
const rowsAtOnce = 4096

// addCharged adds the attempts about the first occurrences of the step. It leaves out records that are not complete.
func (s StepOutput) addCharged(set *attemptSet) error {
	var facts []scan.RowFacts
	for first := int64(1); first <= s.Index.Rows(); first += rowsAtOnce {
		var err error
		if facts, err = s.Index.Facts(first, int(min(rowsAtOnce, s.Index.Rows()-first+1)), facts[:0]); err != nil {
			return err
		}
		for _, row := range facts {
			if row.First != 0 || row.Record == nil || !row.Record.IsComplete() {
				continue
			}
			record := row.Record.Unpack(s.Scope.Wanted)
			for f := range s.Scope.Wanted.Each() {
				if id := record.Attempts[f]; id != 0 {
					set.add(id)
				}
			}
		}
	}
	return nil
}
