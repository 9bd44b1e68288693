package world

// random is a SplitMix64 generator. Each person and each row has its own, started
// from the seed and its number, so that any row can be made without those before it.
type random struct{ state uint64 }

// Streams keep apart what is drawn for the same number for different ends.
const (
	duplicateStream uint64 = iota + 1
	personStream
	cellStream
)

const goldenGamma = 0x9e3779b97f4a7c15

func newRandom(seed, stream uint64, number int) random {
	r := random{seed}
	r.state = r.next() ^ stream
	r.state = r.next() ^ uint64(number)
	return r
}

func (r *random) next() uint64 {
	r.state += goldenGamma
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to limit-1.
func (r *random) below(limit int) int { return int(r.next() % uint64(limit)) }

// share returns a number from 0 up to but not including 1.
func (r *random) share() float64 { return float64(r.next()>>11) / (1 << 53) }

func (r *random) happens(share float64) bool { return r.share() < share }
