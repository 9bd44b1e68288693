package scan

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
)

// recordLog keeps records in numbered logs: a few in memory, the others in one temporary file. The
// records are keyed hashes and numbers of rows and attempts, and show nothing about a person.
// Where the system allows it, the file loses its name when it is made, so that the system
// removes it when the process ends.
//
// Many goroutines may add records. Reading begins when no more records are added.
type recordLog struct {
	dir   string
	words int // of 8 bytes, in a record
	logs  []logPart

	// spare is how many more bytes may stay in memory when the file cannot be written.
	spare atomic.Int64

	making sync.Mutex
	file   atomic.Pointer[os.File] // nil while nothing is in it
	end    atomic.Int64            // of the file
}

// logPart is one log: the chunks that are in the file, and the rest in memory.
type logPart struct {
	sync.Mutex
	chunks []int64 // their offsets
	buffer []byte
}

const (
	// chunkRecords is how many records a chunk of the file holds.
	chunkRecords = 512
	wordBytes    = 8
)

// newRecordLog returns empty logs that stay in memory where no temporary file can be made, as far
// as the options allow.
func newRecordLog(options dedupOptions, logs, words int) *recordLog {
	l := newLog(options.TempDir, logs, words)
	l.spare.Store(cmp.Or(options.Memory, math.MaxInt64))
	return l
}

// newLog returns empty logs, whose file is in a directory, the system's for temporary
// files when it is "".
func newLog(dir string, logs, words int) *recordLog {
	return &recordLog{dir: dir, words: words, logs: make([]logPart, logs)}
}

// TempFileError says that a temporary file, for what does not fit into memory, failed.
type TempFileError struct {
	Doing string // what failed
	Err   error
}

func (e *TempFileError) Error() string {
	return "the list needs more memory than it may use, and " + e.Doing + ": " + e.Err.Error()
}

// Unwrap returns the error of the system.
func (e *TempFileError) Unwrap() error { return e.Err }

// opened returns the file. It makes the file when there is none yet.
func (s *recordLog) opened() (*os.File, error) {
	if file := s.file.Load(); file != nil {
		return file, nil
	}
	s.making.Lock()
	defer s.making.Unlock()
	if file := s.file.Load(); file != nil {
		return file, nil // another goroutine was faster
	}
	file, err := os.CreateTemp(s.dir, "payonce-*")
	if err != nil {
		return nil, &TempFileError{"no temporary file can be made for the rest", err}
	}
	_ = os.Remove(file.Name()) // close tries again
	s.file.Store(file)
	return file, nil
}

// Close removes the file.
func (s *recordLog) Close() error {
	file := s.file.Load()
	if file == nil {
		return nil
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Remove(file.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Add adds a record to a log.
func (s *recordLog) Add(number int, record ...uint64) error {
	log := &s.logs[number]
	log.Lock()
	defer log.Unlock()
	return s.append(log, record...)
}

// append adds a record to a log. The caller holds the log's lock.
func (s *recordLog) append(log *logPart, record ...uint64) error {
	for _, word := range record {
		log.buffer = binary.LittleEndian.AppendUint64(log.buffer, word)
	}
	if len(log.buffer)%s.chunkBytes() != 0 {
		return nil
	}
	err := s.putOut(log)
	if err != nil && s.spare.Add(-int64(s.chunkBytes())) >= 0 {
		return nil // the next chunk tries again
	}
	return err
}

// chunkBytes returns the size of a chunk of the file.
func (s *recordLog) chunkBytes() int { return chunkRecords * s.words * wordBytes }

// putOut writes to the file what a log has in memory, which is whole chunks.
func (s *recordLog) putOut(log *logPart) error {
	file, err := s.opened()
	if err != nil {
		return err
	}
	offset := s.end.Add(int64(len(log.buffer))) - int64(len(log.buffer))
	if _, err := file.WriteAt(log.buffer, offset); err != nil {
		return &TempFileError{"the rest cannot be written to a temporary file", err}
	}
	for at := 0; at < len(log.buffer); at += s.chunkBytes() {
		log.chunks = append(log.chunks, offset+int64(at))
	}
	log.buffer = log.buffer[:0]
	return nil
}

// appendEntries adds entries to the log of their shard.
func (s *recordLog) appendEntries(number int, entries []Entry) error {
	log := &s.logs[number]
	log.Lock()
	defer log.Unlock()
	for _, e := range entries {
		if err := s.append(log, e.high, e.low, e.firstRow); err != nil {
			return err
		}
	}
	return nil
}

// Each calls visit for every record of a log. The record is valid during the visit.
func (s *recordLog) Each(number int, visit func(record []uint64)) error {
	log, record := &s.logs[number], make([]uint64, s.words)
	chunk := make([]byte, min(len(log.chunks), 1)*s.chunkBytes())
	for i := range len(log.chunks) + 1 {
		if i == len(log.chunks) {
			chunk = log.buffer
		} else if _, err := s.file.Load().ReadAt(chunk, log.chunks[i]); err != nil {
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
