package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"payonce/checkpoint/record"
)

// turnPause is the first pause of a process whose connection broke outside a turn. It is longer than the pause of a
// process in a turn, which can continue only if no other process commits first.
const turnPause = 250 * time.Millisecond

// Begin implements record.Shared.
func (s *Store) Begin() (turn record.Turn, err error) {
	s.turns.Lock()
	defer s.turns.Unlock()
	err = again(s.patience, turnPause, func() error {
		return s.do(func(ctx context.Context, conn *pgx.Conn) error {
			turn, err = s.begin(ctx, conn)
			s.turn = conn
			return err
		})
	})
	s.open = err == nil
	return turn, err
}

// begin begins a transaction and a turn in it, in one round trip.
func (s *Store) begin(ctx context.Context, conn *pgx.Conn) (turn record.Turn, err error) {
	began, renewed := uptime(), false
	var now head
	batch := &pgx.Batch{}
	lock(batch, s, &now)
	batch.Queue(renewal, s.workspace, s.epoch, s.nonce).QueryRow(func(row pgx.Row) error { return s.isLive(row.Scan(&renewed, &turn.Now)) })
	batch.Queue(`UPDATE payonce_process SET ended = clock_timestamp() WHERE workspace = $1 AND ended IS NULL AND epoch <> $2
		AND seen + lease + call_time < clock_timestamp()`, s.workspace, s.epoch)
	batch.Queue("SELECT epoch, seen + lease FROM payonce_process WHERE workspace = $1 AND ended IS NULL", s.workspace).
		Query(func(rows pgx.Rows) error {
			var epoch int64
			var leaseEnds time.Time
			_, err := pgx.ForEachRow(rows, []any{&epoch, &leaseEnds}, func() error {
				turn.Live = append(turn.Live, record.Process{Epoch: uint64(epoch), LeaseEnds: leaseEnds})
				return nil
			})
			return err
		})
	batch.Queue(`SELECT epoch, holder, arrived FROM payonce_process
		WHERE workspace = $1 AND epoch <> $2 AND (arrived IS NULL OR arrived > clock_timestamp() - make_interval(secs => $3))`,
		s.workspace, s.epoch, record.SendersKept.Seconds()).
		Query(func(rows pgx.Rows) error {
			var epoch int64
			var holder string
			var arrived *time.Time
			_, err := pgx.ForEachRow(rows, []any{&epoch, &holder, &arrived}, func() error {
				sender := record.Sender{Epoch: uint64(epoch), Holder: holder}
				if arrived != nil {
					sender.Arrived = *arrived
				}
				turn.Senders = append(turn.Senders, sender)
				return nil
			})
			return err
		})
	batch.Queue("SELECT key, value FROM payonce_record WHERE workspace = $1 AND version > $2", s.workspace, int64(s.version.Load())).
		Query(func(rows pgx.Rows) error {
			return s.eachRow(rows, func(key, value []byte) { turn.Changed = append(turn.Changed, record.Write{Key: key, Value: value}) })
		})
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return turn, err
	}
	s.base, s.seen = now.last.version, now.last
	s.version.Store(uint64(s.base))
	turn.Epoch, turn.Refused = uint64(s.epoch), s.refusal()
	if !renewed {
		turn.Refused = record.ErrFenced
	}
	if renewed {
		s.deadline.Store(int64(began + s.options.Lease))
	}
	return turn, nil
}

// lock begins a transaction with the lock of the workspace. It reads what the server says about the workspace, and
// compares that with what this process has seen.
func lock(batch *pgx.Batch, s *Store, now *head) {
	// The limits also end the transaction of a stopped process, and the wait of others for it.
	wait := max(s.options.Lease/2, time.Second).Milliseconds()
	batch.Queue("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
	batch.Queue(`SELECT set_config('synchronous_commit', 'on', true), set_config('lock_timeout', $1, true),
		set_config('idle_in_transaction_session_timeout', $1, true)`, fmt.Sprint(wait))
	batch.Queue(headQuery+" FOR UPDATE OF w", s.seen.arguments(s.workspace)...).QueryRow(func(row pgx.Row) error {
		err := row.Scan(now.targets()...)
		if err == nil {
			err = s.compare(*now)
		}
		return err
	})
}

// isLive returns ErrFenced when the process has no row that has not ended.
func (s *Store) isLive(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		s.deadline.Store(0)
		return fmt.Errorf("%w: %w", record.ErrFailed, record.ErrFenced)
	}
	return err
}

// Refresh implements record.Shared.
func (s *Store) Refresh() (turn record.Turn, err error) {
	s.turns.Lock()
	defer s.turns.Unlock()
	turn.Epoch = uint64(s.epoch)
	if s.open {
		return turn, nil
	}
	err = s.read(func(ctx context.Context, conn *pgx.Conn) error {
		turn.Changed = nil
		var now head
		rows, err := conn.Query(ctx, `WITH head AS MATERIALIZED (`+headQuery+`)
			SELECT head.*, clock_timestamp(), r.key, r.value FROM head LEFT JOIN payonce_record AS r ON r.workspace = $1 AND r.version > $5`,
			append(s.seen.arguments(s.workspace), int64(s.version.Load()))...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var w record.Write
			if err := rows.Scan(append(now.targets(), &turn.Now, &w.Key, &w.Value)...); err != nil {
				return err
			}
			if w.Key != nil {
				turn.Changed = append(turn.Changed, w)
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if err := s.compare(now); err != nil {
			return err
		}
		for i, w := range turn.Changed {
			if turn.Changed[i].Value, err = s.values.decode(w.Key, w.Value); err != nil {
				return err
			}
		}
		s.seen = now.last
		s.version.Store(uint64(now.last.version))
		return nil
	})
	return turn, err
}

// Alone implements record.Shared.
func (s *Store) Alone(do func(record.Turn) error) error {
	turn, err := s.Begin()
	if err != nil {
		return err
	}
	s.turns.Lock()
	s.alone, s.gathered = true, nil
	s.turns.Unlock()
	err = do(turn)
	s.turns.Lock()
	defer s.turns.Unlock()
	s.alone = false
	if err != nil {
		s.abandon()
		return err
	}
	return s.end(s.gathered)
}

// abandon ends a turn without its writes.
func (s *Store) abandon() {
	s.open = false
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

// Commit implements record.Store. It ends the turn, or begins and ends one.
func (s *Store) Commit(writes []record.Write) error {
	s.turns.Lock()
	isOpen := s.open
	s.turns.Unlock()
	if !isOpen {
		if _, err := s.Begin(); err != nil {
			return err
		}
	}
	s.turns.Lock()
	defer s.turns.Unlock()
	if !s.alone {
		return s.end(writes)
	}
	// Reads in the turn see these writes. The end of the turn writes them again, over another connection if necessary.
	s.gathered = append(s.gathered, writes...)
	return s.do(func(ctx context.Context, conn *pgx.Conn) error {
		if conn != s.turn {
			return fmt.Errorf("%w: the connection broke while the journal was opened", record.ErrFailed)
		}
		batch := &pgx.Batch{}
		s.queueWrites(batch, s.base+1, writes)
		return conn.SendBatch(ctx, batch).Close()
	})
}

// end commits the writes and ends the turn.
func (s *Store) end(writes []record.Write) error {
	s.open = false
	token := newToken()
	err := again(s.patience, firstPause, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.conn == nil || s.conn != s.turn {
			return s.commitAgain(token, writes)
		}
		return s.locked(replyTime, func(ctx context.Context, conn *pgx.Conn) error { return s.commit(ctx, conn, token, writes) })
	})
	if err != nil || len(writes) == 0 {
		return err
	}
	s.seen.version, s.seen.epoch, s.seen.nonce = s.base+1, s.epoch, s.nonce
	s.version.Store(uint64(s.seen.version))
	// If a server loses this commit, the journal would allow the same request again. So the machine remembers the
	// commit.
	return s.keepCommit(slices.ContainsFunc(writes, func(w record.Write) bool { return w.Key[0] == record.IntentPrefix }))
}

// commit commits the writes of a turn, in one round trip.
func (s *Store) commit(ctx context.Context, conn *pgx.Conn, token []byte, writes []record.Write) error {
	batch := &pgx.Batch{}
	if len(writes) > 0 {
		s.queueWrites(batch, s.base+1, writes)
		if err := queuePaid(batch, s.workspace, writes, false); err != nil {
			return err
		}
		batch.Queue("UPDATE payonce_workspace SET version = $2, last_epoch = $3, last_nonce = $4 WHERE workspace = $1",
			s.workspace, s.base+1, s.epoch, s.nonce)
		batch.Queue(`UPDATE payonce_process SET token = $4, committed = $5 WHERE workspace = $1 AND epoch = $2 AND nonce = $3 AND ended IS NULL
			RETURNING epoch`, s.workspace, s.epoch, s.nonce, token, s.base+1).
			QueryRow(func(row pgx.Row) error { return s.isLive(row.Scan(new(int64))) })
	}
	batch.Queue("COMMIT").Exec(func(done pgconn.CommandTag) error {
		if done.String() != "COMMIT" {
			return fmt.Errorf("%w: the transaction was rolled back", record.ErrFailed)
		}
		return nil
	})
	return conn.SendBatch(ctx, batch).Close()
}

// commitAgain looks up whether the transaction of a turn was committed. If it was not, and no other process has
// committed since, it commits the writes. The caller holds the connection's lock.
func (s *Store) commitAgain(token []byte, writes []record.Write) error {
	s.drop() // the server then rolls an open transaction back, and the lock waits for that
	return s.locked(replyTime, func(ctx context.Context, conn *pgx.Conn) error {
		var now head
		var last []byte
		batch := &pgx.Batch{}
		lock(batch, s, &now)
		batch.Queue("SELECT token FROM payonce_process WHERE workspace = $1 AND epoch = $2 AND nonce = $3", s.workspace, s.epoch, s.nonce).
			QueryRow(func(row pgx.Row) error { return row.Scan(&last) })
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		switch {
		case len(writes) == 0 || string(last) == string(token):
			_, err := conn.Exec(ctx, "COMMIT")
			return err
		case now.last.version != s.base:
			return fmt.Errorf("%w: the connection broke during a turn, and others have written since", record.ErrFailed)
		}
		return s.commit(ctx, conn, token, writes)
	})
}

// queueWrites adds the statements that write records.
func (r *reader) queueWrites(batch *pgx.Batch, version int64, writes []record.Write) {
	last := map[string]int{} // the last write of each key counts
	for i, w := range writes {
		last[string(w.Key)] = i
	}
	var keys, values, deleted [][]byte
	for i, w := range writes {
		switch {
		case last[string(w.Key)] != i:
		case w.Value == nil:
			deleted = append(deleted, w.Key)
		default:
			keys, values = append(keys, w.Key), append(values, r.values.encode(w.Key, w.Value))
		}
	}
	if len(keys) > 0 {
		batch.Queue(`INSERT INTO payonce_record AS r (workspace, key, value, version)
			SELECT $1, w.key, w.value, $4 FROM unnest($2::bytea[], $3::bytea[]) AS w (key, value)
			ON CONFLICT (workspace, key) DO UPDATE SET value = excluded.value, version = excluded.version`,
			r.workspace, keys, values, version)
	}
	if len(deleted) > 0 {
		batch.Queue("DELETE FROM payonce_record WHERE workspace = $1 AND key = ANY($2::bytea[])", r.workspace, deleted)
	}
}
