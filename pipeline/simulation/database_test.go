package simulation

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/io/service/v1"
)

// Errors of a database.
var (
	errFailedOver = errors.New("the database may lack what was recorded in it")
	errAway       = errors.New("the database does not answer")
)

const (
	lease    = 30 * time.Second
	callTime = 2 * time.Minute // the client's time-out, the stalls of the network and a commit
	// mostLookups is how long a process looks up at most whether its commit is durable.
	mostLookups = 20 * time.Second
)

// database is a server that several processes share, with an asynchronous standby. It behaves as PostgreSQL does for
// checkpoint/pgstore. Its records are those of the world's disk.
//
// A turn takes no time: a process holds the lock of its journal in it, and a goroutine that waits for such a lock stops
// virtual time. So a commit is there at once, and its reply travels.
type database struct {
	world *world
	turns sync.Mutex // the lock of the workspace's row

	mu       sync.Mutex // guards what follows
	rows     rows
	standby  received
	timeline int // of the server
	cuts     int // how often all connections were cut
	commits  int
	opened   int
	// lost are the calls that the last failovers have lost, confirmed those of failovers that were accepted.
	lost, confirmed []lostCall
	gone            map[string]bool       // the records that were lost
	unaccepted      map[attempt.ID]bool   // calls that were committed before the failover was accepted
	machines        [members]machineState // by member
	tally           map[string]int        // of what happened
}

// lostCall is a call that no server has any more.
type lostCall struct {
	intent
	open bool // it had no resolution
}

// rows is what the server has besides the records.
type rows struct {
	version, epochs uint64
	failovers       int // that were accepted
	allowed         int // the timeline on which calls may be made
	last            known
	written         map[string]uint64 // the commit that wrote a record last
	processes       map[uint64]row
}

// received is what a standby has.
type received struct {
	at      time.Time
	rows    rows
	records map[string][]byte
}

// row is that of a process, by its epoch.
type row struct {
	nonce, committed uint64
	token            int
	seen, arrived    time.Time
	ended            bool
	process          *process
}

// known is a confirmed commit.
type known struct {
	failovers    int
	version      uint64
	epoch, nonce uint64
}

// machineState is what outlives the processes of a machine.
type machineState struct {
	commit known // the last that it knows
	starts int
}

func newDatabase(w *world) *database {
	d := &database{world: w, gone: map[string]bool{}, unaccepted: map[attempt.ID]bool{}, tally: map[string]int{}, timeline: 1}
	d.rows = rows{allowed: 1, written: map[string]uint64{}, processes: map[uint64]row{}}
	d.replicate()
	return d
}

func (r rows) clone() rows {
	r.written, r.processes = maps.Clone(r.written), maps.Clone(r.processes)
	return r
}

// replicate lets the standby receive everything.
func (d *database) replicate() {
	d.world.disk.mu.Lock()
	defer d.world.disk.mu.Unlock()
	d.standby = received{time.Now(), d.rows.clone(), maps.Clone(d.world.disk.records)}
}

// restart cuts all connections.
func (d *database) restart() {
	d.turns.Lock()
	defer d.turns.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cuts++
	d.tally["restarts"]++
	d.world.trace("the database restarts")
}

// failOver promotes the standby.
func (d *database) failOver() {
	d.turns.Lock()
	defer d.turns.Unlock()
	var before []lostCall
	for _, in := range d.world.check.intents(false) {
		before = append(before, lostCall{in, !d.world.disk.has(recordKey('r', in.ID))})
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cuts++
	d.timeline++
	d.tally["failovers"]++
	d.world.check.pausesLost(d.standby.at)
	disk := d.world.disk
	disk.mu.Lock()
	for key, value := range disk.records {
		if !bytes.Equal(d.standby.records[key], value) {
			d.gone[key] = true
		}
	}
	disk.records, d.rows = maps.Clone(d.standby.records), d.standby.rows.clone()
	disk.mu.Unlock()
	lost := 0
	for _, call := range before {
		if !disk.has(recordKey('a', call.ID)) {
			d.lost = append(d.lost, call)
			lost++
		}
	}
	d.tally["calls lost"] += lost
	d.unaccepted = map[attempt.ID]bool{}
	d.world.trace("a standby with commit %d is promoted: %d calls are lost", d.rows.version, lost)
}

// hasLost reports whether a record, or a later state of it, was lost in a failover.
func (d *database) hasLost(key string) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.gone[key]
}

// lostCalls returns the calls that no journal knows any more: all, or those of failovers that were accepted.
func (d *database) lostCalls(confirmed bool) []lostCall {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if confirmed {
		return slices.Clone(d.confirmed)
	}
	return slices.Concat(d.confirmed, d.lost)
}

// isUnaccepted reports whether a call began on a server whose failover nobody had accepted.
func (d *database) isUnaccepted(id attempt.ID) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unaccepted[id]
}

// waits reports whether calls of dead processes are not in doubt yet, or may be decided later.
func (d *database) waits() bool {
	return d != nil && slices.ContainsFunc(d.world.check.intents(true), func(in intent) bool {
		return !d.world.disk.has(recordKey('d', in.ID))
	})
}

// hasFailedOver reports whether there was a failover. A server may have lost that a process ended. Then nobody knows
// that it sends no more, and its calls stay in doubt.
func (d *database) hasFailedOver() bool { return d != nil && d.timeline > 1 }

// lostMoney returns the most that the lost calls can have been charged.
func (d *database) lostMoney() (most cost.Money) {
	for _, call := range d.lostCalls(false) {
		for f := range call.Hold.Fields.Each() {
			most += d.world.prices()[f]
		}
	}
	return most
}

// sharedStore is the database as one process sees it. It does what checkpoint/pgstore does.
type sharedStore struct {
	store
	db           *database
	machine      *machineState
	epoch, nonce uint64
	version      uint64 // the last commit that this process has seen
	deadline     atomic.Pointer[time.Time]
	refused      atomic.Pointer[error]
	stopped      chan struct{}

	open      bool
	base      uint64
	cuts      int // of all connections when the turn began
	alone     bool
	backup    map[string][]byte // the records before the turn of Alone
	gathered  []record.Write
	seen      known
	atOpening error
	openedOn  int
	accepted  int
}

// openShared registers the process under a new epoch.
func openShared(p *process, afterFailover bool) (*sharedStore, error) {
	d := p.world.database
	d.turns.Lock()
	defer d.turns.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened++
	s := &sharedStore{store: store{process: p}, db: d, machine: &d.machines[p.member], nonce: uint64(d.opened), stopped: make(chan struct{})}
	s.seen, s.openedOn, s.accepted = d.rows.last, d.timeline, d.rows.failovers
	s.seen.version, s.seen.failovers = d.rows.version, d.rows.failovers
	detects := !p.world.mutation.overlooks
	if d.timeline != d.rows.allowed {
		s.atOpening = fmt.Errorf("%w: it is on timeline %d", errFailedOver, d.timeline)
	}
	if commit := s.machine.commit; commit.failovers >= d.rows.failovers {
		s.accepted = max(s.accepted, commit.failovers)
		if s.atOpening == nil && d.lacks(commit) {
			s.atOpening = fmt.Errorf("%w: it lacks commit %d", errFailedOver, commit.version)
		}
	}
	if !detects {
		s.atOpening = nil
	}
	if s.atOpening != nil && !afterFailover {
		return nil, s.atOpening
	}
	d.rows.epochs++
	s.epoch, s.version = d.rows.epochs, d.rows.version
	now := time.Now()
	d.rows.processes[s.epoch] = row{nonce: s.nonce, seen: now, process: p}
	d.noteDead(p)
	s.refuse(s.atOpening)
	if s.atOpening == nil {
		s.keep()
	}
	s.extend(now)
	go s.renew()
	return s, nil
}

// lacks reports whether the server lacks a commit.
func (d *database) lacks(k known) bool {
	if d.rows.failovers < k.failovers || d.rows.version < k.version {
		return true
	}
	by := d.rows.processes[k.epoch]
	return k.epoch != 0 && (by.nonce != k.nonce || by.committed < k.version)
}

// noteDead records which processes of this machine are dead.
func (d *database) noteDead(p *process) {
	for epoch, r := range d.rows.processes {
		if r.arrived.IsZero() && r.process != p && r.process.member == p.member && r.process.isDead() {
			r.arrived = time.Now().Add(callTime)
			d.rows.processes[epoch] = r
		}
	}
}

func (s *sharedStore) extend(from time.Time) {
	until := from.Add(lease)
	s.deadline.Store(&until)
}

func (s *sharedStore) refuse(why error) { s.refused.Store(&why) }

// keep writes the last commit to the file of the machine.
func (s *sharedStore) keep() {
	last := s.machine.commit
	if s.seen.failovers > last.failovers || s.seen.failovers == last.failovers && s.seen.version > last.version {
		s.machine.commit = s.seen
	}
}

// compare compares the server with what this process has seen. An error ends the process.
func (s *sharedStore) compare() error {
	if s.world.mutation.overlooks {
		return nil
	}
	if s.db.lacks(s.seen) {
		err := fmt.Errorf("%w: it lacks commit %d", errFailedOver, s.seen.version)
		s.refuse(err)
		return fmt.Errorf("%w: %w", record.ErrFailed, err)
	}
	refused := s.atOpening
	if s.db.timeline != s.db.rows.allowed && refused == nil {
		refused = fmt.Errorf("%w: it is on timeline %d", errFailedOver, s.db.timeline)
	}
	s.refuse(refused)
	return nil
}

// isLive returns the row of this process, or ErrFenced when it has none that has not ended.
func (s *sharedStore) isLive() (row, error) {
	r := s.db.rows.processes[s.epoch]
	if r.nonce != s.nonce || r.ended {
		s.extend(time.Now().Add(-lease))
		return r, fmt.Errorf("%w: %w", record.ErrFailed, record.ErrFenced)
	}
	return r, nil
}

// Begin implements record.Shared.
func (s *sharedStore) Begin() (turn record.Turn, err error) {
	s.db.turns.Lock()
	if turn, err = s.begin(); err != nil {
		s.db.turns.Unlock()
	}
	return turn, err
}

func (s *sharedStore) begin() (turn record.Turn, err error) {
	d := s.db
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.isDead() {
		return turn, errDead
	}
	if err := s.compare(); err != nil {
		return turn, err
	}
	r, err := s.isLive()
	if err != nil {
		return turn, err
	}
	now := time.Now()
	turn = record.Turn{Now: now, Epoch: s.epoch, Refused: *s.refused.Load()}
	if r.seen.Add(lease).After(now) {
		r.seen = now
		d.rows.processes[s.epoch] = r
		s.extend(now)
	} else {
		turn.Refused = record.ErrFenced
	}
	for _, epoch := range slices.Sorted(maps.Keys(d.rows.processes)) {
		other := d.rows.processes[epoch]
		if epoch != s.epoch && !other.ended && other.seen.Add(lease+callTime).Before(now) {
			other.ended = true
			d.rows.processes[epoch] = other
			d.tally["epochs ended by others"]++
		}
		if !other.ended {
			turn.Live = append(turn.Live, record.Process{Epoch: epoch, LeaseEnds: other.seen.Add(lease)})
		}
		if epoch == s.epoch {
			continue
		}
		if other.arrived.IsZero() || other.arrived.After(now.Add(-record.SendersKept)) {
			turn.Senders = append(turn.Senders, record.Sender{Epoch: epoch, Holder: fmt.Sprint("process ", epoch), Arrived: other.arrived})
		}
	}
	turn.Changed = s.changed()
	s.open, s.base, s.cuts = true, d.rows.version, d.cuts
	return turn, nil
}

// changed returns the records that others have changed.
func (s *sharedStore) changed() (changed []record.Write) {
	for _, key := range slices.Sorted(maps.Keys(s.db.rows.written)) {
		if value := s.world.disk.get(key); s.db.rows.written[key] > s.version && value != nil {
			changed = append(changed, record.Write{Key: []byte(key), Value: value})
		}
	}
	s.seen = s.db.rows.last
	s.seen.version, s.seen.failovers = s.db.rows.version, s.db.rows.failovers
	s.version = s.db.rows.version
	return changed
}

// Refresh implements record.Shared.
func (s *sharedStore) Refresh() (turn record.Turn, err error) {
	turn = record.Turn{Now: time.Now(), Epoch: s.epoch}
	if s.open {
		return turn, nil
	}
	s.db.turns.Lock() // it does not see the writes of a turn
	defer s.db.turns.Unlock()
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	if s.isDead() {
		return turn, errDead
	}
	if err := s.compare(); err != nil {
		return turn, err
	}
	turn.Changed = s.changed()
	return turn, nil
}

// Alone implements record.Shared.
func (s *sharedStore) Alone(do func(record.Turn) error) error {
	turn, err := s.Begin()
	if err != nil {
		return err
	}
	s.world.disk.mu.Lock()
	s.alone, s.gathered, s.backup = true, nil, maps.Clone(s.world.disk.records)
	s.world.disk.mu.Unlock()
	err = do(turn)
	s.alone = false
	s.world.disk.mu.Lock()
	s.world.disk.records = s.backup
	s.world.disk.mu.Unlock()
	if err != nil {
		s.endTurn()
		return err
	}
	return s.end(s.gathered)
}

func (s *sharedStore) endTurn() {
	s.open = false
	s.db.turns.Unlock()
}

// Commit implements record.Store.
func (s *sharedStore) Commit(writes []record.Write) error {
	if s.alone {
		s.gathered = append(s.gathered, writes...)
		s.world.disk.apply(writes)
		return nil
	}
	if !s.open {
		if _, err := s.Begin(); err != nil {
			return err
		}
	}
	return s.end(writes)
}

// commitFault is what happens to a commit.
type commitFault uint8

const (
	passes  commitFault = iota
	unsent              // it does not arrive
	unheard             // its reply is lost
)

// faultOf draws what happens to a commit.
func (s *sharedStore) faultOf(drawn *rand.Rand) commitFault {
	if at := drawn.IntN(40); !s.calm && at < 2 {
		return []commitFault{unsent, unheard}[at]
	}
	return passes
}

// end commits the writes and ends the turn.
func (s *sharedStore) end(writes []record.Write) error {
	if len(writes) == 0 {
		s.endTurn()
		return nil
	}
	s.commits++
	token, drawn := s.commits, s.world.draws.of("commit", s.number, s.commits)
	fault := s.faultOf(drawn)
	if s.isStopped() {
		fault = unsent // the server has ended the turn
	}
	if s.point("commit") == pointDie {
		s.endTurn()
		return errDead
	}
	if fault != unsent {
		if err := s.apply(token, writes); err != nil {
			s.endTurn()
			return err
		}
	}
	s.endTurn()
	s.world.clock.pass(s.world.commitTime.draw(drawn))
	s.waitWhileStopped()
	for s.isCut() || fault != passes {
		if s.isDead() || s.point("committed") == pointDie {
			return errDead
		}
		s.world.clock.pass(span{time.Millisecond, 3 * time.Second}.draw(drawn)) // it connects again
		done, err := s.commitAgain(token, writes)
		if err != nil {
			return err
		}
		if done {
			break
		}
		fault = s.faultOf(drawn)
		s.world.clock.pass(s.world.commitTime.draw(drawn))
	}
	if s.isDead() || s.point("committed") == pointDie {
		return errDead
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	s.seen = known{s.seen.failovers, s.base + 1, s.epoch, s.nonce}
	s.version = s.base + 1
	s.keep()
	return nil
}

// isCut reports whether the connection was cut since the turn began.
func (s *sharedStore) isCut() bool {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	return s.cuts != s.db.cuts
}

// commitAgain looks up whether the writes of a turn were committed. If they were not, and no other process has
// committed since, it commits them. Done says that they were.
func (s *sharedStore) commitAgain(token int, writes []record.Write) (done bool, err error) {
	s.db.turns.Lock()
	defer s.db.turns.Unlock()
	s.db.mu.Lock()
	s.db.tally["commits looked up"]++
	err, s.cuts = s.compare(), s.db.cuts
	r, version := s.db.rows.processes[s.epoch], s.db.rows.version
	s.db.mu.Unlock()
	switch {
	case s.world.mutation.guesses: // before it compares
		return true, nil
	case err != nil:
		return false, err
	case r.nonce == s.nonce && r.token == token:
		return true, nil
	case version != s.base:
		return false, fmt.Errorf("%w: %w: the connection broke during a turn, and others have written since", record.ErrFailed, errAway)
	}
	return false, s.apply(token, writes)
}

// apply commits writes on the server. The lock of the workspace is held.
func (s *sharedStore) apply(token int, writes []record.Write) error {
	d, w := s.db, s.world
	d.mu.Lock()
	r, err := s.isLive()
	if err != nil {
		d.mu.Unlock()
		return err
	}
	d.rows.version++
	r.token, r.committed = token, d.rows.version
	d.rows.processes[s.epoch] = r
	d.rows.last = known{epoch: s.epoch, nonce: s.nonce}
	for _, write := range writes {
		d.rows.written[string(write.Key)] = d.rows.version
		delete(d.gone, string(write.Key))
		if write.Key[0] == record.IntentPrefix && d.timeline != d.rows.allowed {
			d.unaccepted[record.IDOf(write.Key)] = true
		}
	}
	d.commits++
	commit, lags := d.commits, w.draws.of("standby", d.commits).IntN(6) > 0
	version := d.rows.version
	d.mu.Unlock()
	before := w.check.totalsOf(s.process, writes)
	w.disk.apply(writes)
	w.check.committed(s.process, before, writes)
	w.trace("commit %d, of start %d: %d writes", version, s.number, len(writes))
	d.mu.Lock()
	defer d.mu.Unlock()
	if !lags {
		d.replicate()
	}
	if at := slices.IndexFunc(w.Strikes, func(one strike) bool { return one.Commit == commit }); at >= 0 && !s.calm {
		w.strangers.Go(func() {
			w.clock.pass(w.Strikes[at].After)
			if w.Strikes[at].Failover {
				d.failOver()
			} else {
				d.restart()
			}
		})
	}
	return nil
}

// MaySend implements record.Shared.
func (s *sharedStore) MaySend() error {
	if refused := *s.refused.Load(); refused != nil {
		return refused
	}
	if !time.Now().Before(*s.deadline.Load()) {
		return record.ErrFenced
	}
	return nil
}

// FailedOver implements record.Shared.
func (s *sharedStore) FailedOver() error { return *s.refused.Load() }

// AcceptFailover implements record.Shared.
func (s *sharedStore) AcceptFailover() error {
	s.db.turns.Lock()
	defer s.db.turns.Unlock()
	d := s.db
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := s.compare(); err != nil {
		return err
	}
	if d.timeline != s.openedOn || d.rows.failovers != s.seen.failovers {
		return errFailedOver
	}
	d.rows.allowed, d.rows.failovers = d.timeline, s.accepted+1
	s.seen.failovers, s.atOpening = s.accepted+1, nil
	s.refuse(nil)
	s.keep()
	d.confirmed, d.lost = append(d.confirmed, d.lost...), nil
	d.unaccepted = map[attempt.ID]bool{}
	d.tally["failovers accepted"]++
	s.world.trace("the failover is accepted")
	d.replicate()
	return nil
}

// renew renews the lease when no turn has done so.
func (s *sharedStore) renew() {
	for n := 0; ; n++ {
		wait := span{lease / 5, lease / 4}.draw(s.world.draws.of("renewal", s.number, n))
		select {
		case <-s.stopped:
			return
		case <-time.After(wait):
		}
		s.sign()
	}
}

func (s *sharedStore) sign() {
	if s.isDead() || s.isStopped() {
		return
	}
	s.db.turns.Lock()
	defer s.db.turns.Unlock()
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	s.db.noteDead(s.process)
	if s.compare() != nil {
		return
	}
	r, now := s.db.rows.processes[s.epoch], time.Now()
	switch {
	case r.nonce != s.nonce:
		return
	case !r.ended && r.seen.Add(lease).After(now):
		r.seen = now
		s.extend(now)
	case r.arrived.IsZero():
		r.arrived = now.Add(callTime)
	}
	s.db.rows.processes[s.epoch] = r
}

func (s *sharedStore) Version() uint64 {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	return s.version
}

// Close ends the epoch.
func (s *sharedStore) Close() error {
	close(s.stopped)
	if s.open {
		s.endTurn()
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	if r := s.db.rows.processes[s.epoch]; !s.isDead() && r.nonce == s.nonce {
		r.ended = true
		if now := time.Now(); r.arrived.IsZero() || r.arrived.After(now) {
			r.arrived = now
		}
		s.db.rows.processes[s.epoch] = r
	}
	s.extend(time.Now().Add(-lease))
	return nil
}

var _ record.Shared = (*sharedStore)(nil)

// openJournal opens the journal of the world.
func (p *process) openJournal(afterFailover bool) (*checkpoint.Journal, error) {
	w := p.world
	options := checkpoint.Options{Catalogue: v1.Catalogue(), Rate: w.mutation.rateOf(w), Now: p.now}
	if w.database == nil {
		return checkpoint.New(&store{process: p}, options)
	}
	s, err := openShared(p, afterFailover)
	if err != nil {
		return nil, err
	}
	options.Now = nil
	return checkpoint.New(s, options)
}
