package checkpoint

import (
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
)

// nearby is how many records are read on the way to one that is wanted, before it is
// looked for instead: that takes about ten times as long as to read the next.
const nearby = 8

// eachRecord hands the records of attempts, whose numbers ascend, to visit, with the
// place of their number among ids. Those that are not there are left out.
func eachRecord(s record.Store, prefix byte, ids []attempt.ID, visit func(i int, key, value []byte) error) error {
	if len(ids) == 0 {
		return nil
	}
	if all, can := record.AsGetsAll(s); can {
		return eachTogether(all, prefix, ids, visit)
	}
	i, wanted := 0, record.IDKey(prefix, ids[0])
	return record.Seek(s, []byte{prefix}, wanted, func(key, value []byte) (bool, []byte, error) {
		id := record.IDOf(key)
		for i < len(ids) && ids[i] < id {
			i++
		}
		if i < len(ids) && ids[i] == id {
			if err := visit(i, key, value); err != nil {
				return false, nil, err
			}
			i++
		}
		if i == len(ids) {
			return false, nil, nil
		}
		if ids[i]-id <= nearby {
			return true, nil, nil
		}
		wanted = record.AppendIDKey(wanted[:0], prefix, ids[i])
		return true, wanted, nil
	})
}

// eachTogether is eachRecord on a store that reads many records in one request.
func eachTogether(s record.GetsAll, prefix byte, ids []attempt.ID, visit func(i int, key, value []byte) error) error {
	for first := 0; first < len(ids); first += AttemptsTogether {
		var keys [][]byte
		for _, id := range ids[first:min(first+AttemptsTogether, len(ids))] {
			keys = append(keys, record.IDKey(prefix, id))
		}
		values, err := s.GetAll(keys)
		if err != nil {
			return err
		}
		for i, value := range values {
			if value == nil {
				continue
			}
			if err := visit(first+i, keys[i], value); err != nil {
				return err
			}
		}
	}
	return nil
}
