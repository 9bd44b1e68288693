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
