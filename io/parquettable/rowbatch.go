package parquettable

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	// groupRows is the number of rows that ends a row group.
	groupRows = 16 * maxBlockRows
	// groupSize ends a row group with fewer rows, when its values have this many bytes: all of its columns stay in memory
	// until it ends.
	groupSize = 16 << 20
	// A batch is encoded when it has batchRows rows or batchSize bytes.
	batchRows = 2 * maxBlockRows
	batchSize = 4 << 20
	// partSize is about the memory of a part without its values, in bytes. A batch of long rows, or
	// of few rows of each block, has many parts.
	partSize = 16 << 10
)

// rowBatch has rows of one row group that are encoded together.
type rowBatch struct {
	parts []*part
	rows  int
	size  int // in bytes
}

// add adds a part. The block of the part is released after this.
func (b *rowBatch) add(p *part) {
	p.block = nil
	b.parts = append(b.parts, p)
	b.rows += p.rows
	b.size += partSize + p.size()
}

// full reports whether the batch is large enough to be encoded.
func (b *rowBatch) full() bool { return b.rows >= batchRows || b.size >= batchSize }

// own returns the cells of a column of the list.
func (b *rowBatch) own(i int) (all []*Cells) {
	for _, p := range b.parts {
		all = append(all, p.own[i])
	}
	return all
}

// added returns the cells of an appended column.
func (b *rowBatch) added(i int) (all []*Cells) {
	for _, p := range b.parts {
		all = append(all, p.added[i])
	}
	return all
}

// batches encodes one batch while the next one is gathered.
type batches struct {
	parts    parts
	gathered rowBatch
	encoded  rowBatch // being encoded
	complete []Chunk  // of the previous row group, when all of it is encoded
	running  sync.WaitGroup
	failed   error // of the encoding
}

// encodeColumn encodes a column of a batch.
type encodeColumn func(column int, from rowBatch) (Chunk, error)

// start starts to encode the columns of the gathered batch, and returns. last says that the row
// group ends with this batch. The batch before must be done.
func (b *batches) start(columns int, last bool, encodeColumn encodeColumn) {
	b.gathered, b.encoded = rowBatch{parts: b.encoded.parts}, b.gathered
	b.running.Go(func() {
		chunks := make([]Chunk, columns)
		b.failed = onAllCores(columns, func(i int) (err error) {
			chunks[i], err = encodeColumn(i, b.encoded)
			return err
		})
		if last {
			b.complete = chunks
		}
	})
}

// settle waits until the batch is encoded. It calls write with the chunks of a row group that ended.
func (b *batches) settle(write func([]Chunk) error) error {
	if err := b.wait(); err != nil || b.complete == nil {
		return err
	}
	chunks := b.complete
	b.complete = nil
	return write(chunks)
}

// wait waits until the batch is encoded, and returns its error.
func (b *batches) wait() error {
	b.running.Wait()
	for _, p := range b.encoded.parts {
		b.parts.put(p)
	}
	b.encoded = rowBatch{parts: b.encoded.parts[:0]}
	return b.failed
}

// onAllCores calls do for every index below n, on all cores. It returns the error of the lowest
// index that failed.
func onAllCores(n int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		running.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				errs[i] = do(int(i))
			}
		})
	}
	running.Wait()
	return cmp.Or(errs...)
}
