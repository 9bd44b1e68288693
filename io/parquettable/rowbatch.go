package parquettable

import (
	"runtime"
	"sync"
	"sync/atomic"

	"payonce/io/parquettable/encode"
	"payonce/io/parquettable/footer"
)

const (
	// groupRows is how many rows a row group has at least, but for the last one.
	groupRows = 2 * batchRows
	// batchRows is how many rows are encoded together, but for what the last part has
	// more than was missing, and stretchSize how many bytes at most.
	batchRows = 8 * maxBlockRows
	batchSize = 32 << 20
	// partSize is about what a part takes beside its values, in bytes: of a list of long
	// rows, or of few rows among many, there are many parts.
	partSize = 16 << 10
)

// rowBatch is a run of rows of one row group that are encoded together.
type rowBatch struct {
	parts []*part
	rows  int
	size  int // in bytes
}

// add adds a part, whose block is released now.
func (s *rowBatch) add(p *part) {
	p.block = nil
	s.parts = append(s.parts, p)
	s.rows += p.rows
	s.size += partSize + p.size()
}

// full reports whether the rows are enough to be encoded.
func (s *rowBatch) full() bool { return s.rows >= batchRows || s.size >= batchSize }

// own returns the cells of a column of the list.
func (s *rowBatch) own(i int) (all []*encode.Cells) {
	for _, p := range s.parts {
		all = append(all, p.own[i])
	}
	return all
}

// added returns the cells of an appended column.
func (s *rowBatch) added(i int) (all []*encode.Cells) {
	for _, p := range s.parts {
		all = append(all, p.added[i])
	}
	return all
}

// batches has one stretch encoded while the next is gathered.
type batches struct {
	parts    parts
	workers  workers
	gathered rowBatch
	encoded  rowBatch       // under way
	complete []footer.Chunk // of the row group before, once it is encoded to its end
	running  sync.WaitGroup
	failed   error // what is under way, if it did
}

// start has so many columns of what is gathered encoded, while the caller goes on; last says
// that the row group ends with it. What was encoded before must have come to its end.
func (s *batches) start(columns int, last bool, encodeColumn func(column int, from rowBatch, own *encode.Scratch) (footer.Chunk, error)) {
	s.gathered, s.encoded = rowBatch{parts: s.encoded.parts}, s.gathered
	s.running.Go(func() {
		chunks := make([]footer.Chunk, columns)
		s.failed = s.workers.onAllCores(columns, func(i int, own *encode.Scratch) (err error) {
			chunks[i], err = encodeColumn(i, s.encoded, own)
			return err
		})
		if last {
			s.complete = chunks
		}
	})
}

// settle waits for what is being encoded, and hands the row group that ends with it to
// write.
func (s *batches) settle(write func([]footer.Chunk) error) error {
	if err := s.wait(); err != nil || s.complete == nil {
		return err
	}
	chunks := s.complete
	s.complete = nil
	return write(chunks)
}

// wait waits for the end of what is under way, if anything is, and returns its error.
func (s *batches) wait() error {
	s.running.Wait()
	for _, p := range s.encoded.parts {
		s.parts.put(p)
	}
	s.encoded = rowBatch{parts: s.encoded.parts[:0]}
	return s.failed
}

// workers encodes columns on all cores. It is used for one thing at a time.
type workers struct{ scratches []*encode.Scratch }

// onAllCores calls do for every index below n, as many at the same time as there are
// cores, and returns the first error in the order of the indexes.
func (w *workers) onAllCores(n int, do func(i int, s *encode.Scratch) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var running sync.WaitGroup
	for worker := range min(runtime.GOMAXPROCS(0), n) {
		if worker == len(w.scratches) {
			w.scratches = append(w.scratches, &encode.Scratch{})
		}
		s := w.scratches[worker]
		running.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				errs[i] = do(int(i), s)
			}
		})
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
