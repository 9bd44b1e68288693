package pipeline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// spill keeps records in numbered logs in one temporary file: what does not fit into
// memory. It holds keys, which are keyed hashes, and numbers of rows; nothing of a
// person. The file has no name as soon as it is open, where the system allows it, so
// that it is gone with the process.
//
// Appending may be done by many goroutines; reading begins when nothing is appended
// any more.
type spill struct {
	file  *os.File
	words int          // of 8 bytes, in a record
	end   atomic.Int64 // of the file
	logs  []spillLog
}

// spillLog is one log: the chunks of it that are in the file, and what is not yet.
type spillLog struct {
	sync.Mutex
	chunks []int64 // their offsets
	buffer []byte
}

// chunkRecords is how many records a chunk of the file holds.
const chunkRecords = 512

// newSpill makes the temporary file in a directory, the system's for temporary files
// when it is "".
func newSpill(dir string, logs, words int) (*spill, error) {
	file, err := os.CreateTemp(dir, "payonce-*")
	if err != nil {
		return nil, fmt.Errorf("the list needs more memory than it may use, and no temporary file can be made for the rest: %w", err)
	}
	_ = os.Remove(file.Name()) // close tries again
	return &spill{file: file, words: words, logs: make([]spillLog, logs)}, nil
}

// close removes the file.
func (s *spill) close() error {
	name := s.file.Name()
	if err := s.file.Close(); err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// append adds a record to a log. The caller holds the log's lock.
func (s *spill) append(log *spillLog, record ...uint64) error {
	if log.buffer == nil {
		log.buffer = make([]byte, 0, chunkRecords*s.words*8)
	}
	for _, word := range record {
		log.buffer = binary.LittleEndian.AppendUint64(log.buffer, word)
	}
	if len(log.buffer) < cap(log.buffer) {
		return nil
	}
	offset := s.end.Add(int64(len(log.buffer))) - int64(len(log.buffer))
	if _, err := s.file.WriteAt(log.buffer, offset); err != nil {
		return fmt.Errorf("what does not fit into memory cannot be written to a temporary file: %w", err)
	}
	log.chunks = append(log.chunks, offset)
	log.buffer = log.buffer[:0]
	return nil
}

// appendEntries adds entries to the log of their shard.
func (s *spill) appendEntries(number int, entries []entry) error {
	log := &s.logs[number]
	log.Lock()
	defer log.Unlock()
	for _, e := range entries {
		if err := s.append(log, e.high, e.low, e.lead); err != nil {
			return err
		}
	}
	return nil
}

// appendLead adds the row of a duplicate, with the row that leads it.
func (s *spill) appendLead(number int, row, lead int64) error {
	log := &s.logs[number]
	log.Lock()
	defer log.Unlock()
	return s.append(log, uint64(row), uint64(lead))
}

// each calls visit for every record of a log. The record is valid during the visit. Only
// a list that has grown since the logs were made asks for one that is not there.
func (s *spill) each(number int, visit func(record []uint64)) error {
	if number >= len(s.logs) {
		return ErrListChanged
	}
	log, record := &s.logs[number], make([]uint64, s.words)
	chunk := make([]byte, chunkRecords*s.words*8)
	for i := range len(log.chunks) + 1 {
		if i == len(log.chunks) {
			chunk = log.buffer
		} else if _, err := s.file.ReadAt(chunk, log.chunks[i]); err != nil {
			return fmt.Errorf("a temporary file cannot be read: %w", err)
		}
		for at := 0; at < len(chunk); {
			for w := range record {
				record[w] = binary.LittleEndian.Uint64(chunk[at:])
				at += 8
			}
			visit(record)
		}
	}
	return nil
}
