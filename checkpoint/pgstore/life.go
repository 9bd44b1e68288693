// This file finds out whether a process may still send calls.
//
// A process that was stopped after the check of its lease sends its request when it goes on, however late that is. So
// after its epoch was ended its calls may still arrive, until it is known that it sends no more: it closed its epoch, it
// was seen after the end of its lease, or it is dead. Each process locks a file of its machine as long as it lives. Who
// gets this lock knows that it is dead. A lock says nothing about processes of another system, because a file system
// that machines share may not share its locks.

package pgstore

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"payonce/checkpoint/record"
)

// life is what shows others that a process lives.
type life struct {
	machine, boot string // as in the row of the process
	path          string
	file          *os.File // locked; nil for none
}

// lockPrefix is the beginning of the names of the files that processes lock. The rest is the nonce, so the name is the
// same on no two machines.
const lockPrefix = "PROCESS-"

// live locks a file in a directory, which is made, too; none when dir is "".
func live(dir string, nonce []byte) (life, error) {
	if dir == "" {
		return life{}, nil
	}
	path, err := filepath.Abs(filepath.Join(dir, lockPrefix+hex.EncodeToString(nonce)))
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return life{}, fmt.Errorf("%w: %w", record.ErrNotWritable, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return life{}, fmt.Errorf("%w: %w", record.ErrNotWritable, err)
	}
	l := life{firstLine("/etc/machine-id"), firstLine("/proc/sys/kernel/random/boot_id"), path, file}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return life{}, errors.Join(fmt.Errorf("%w: locking %s: %w", record.ErrNotWritable, path, err), l.end(true))
	}
	return l, nil
}

// firstLine returns the first line of a file of the system; "" when there is none.
func firstLine(path string) string {
	text, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// end gives the lock back. It removes the file when no other process has to find it.
func (l life) end(remove bool) error {
	if l.file == nil {
		return nil
	}
	var err error
	if remove {
		err = os.Remove(l.path)
	}
	return errors.Join(err, l.file.Close())
}

// seesDead reports whether the process of another life is dead for certain, and the file that shows it.
func (l life) seesDead(other life) (path string, dead bool) {
	sameSystem := l.boot != "" && l.boot == other.boot
	restarted := l.machine != "" && l.machine == other.machine
	if l.file == nil || other.path == "" || !sameSystem && !restarted {
		return "", false
	}
	// A volume may have another path in another container.
	for _, path := range []string{other.path, filepath.Join(filepath.Dir(l.path), filepath.Base(other.path))} {
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		_ = file.Close()
		return path, err == nil
	}
	return "", false
}

// noteDead records which processes of this machine are dead. It does nothing in a turn.
func (s *Store) noteDead() error {
	s.turns.Lock()
	defer s.turns.Unlock()
	if s.open {
		return nil
	}
	return s.do(func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT epoch, machine, boot, lock_file FROM payonce_process
			WHERE workspace = $1 AND arrived IS NULL AND epoch <> $2`, s.workspace, s.epoch)
		if err != nil {
			return err
		}
		var epochs []int64
		var paths []string
		var epoch int64
		var other life
		_, err = pgx.ForEachRow(rows, []any{&epoch, &other.machine, &other.boot, &other.path}, func() error {
			if path, dead := s.life.seesDead(other); dead {
				epochs, paths = append(epochs, epoch), append(paths, path)
			}
			return nil
		})
		if err != nil || len(epochs) == 0 {
			return err
		}
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SELECT set_config('synchronous_commit', 'on', true)"); err != nil {
				return err
			}
			// Its system may still send what it was given before it died.
			_, err := tx.Exec(ctx, "UPDATE payonce_process SET arrived = clock_timestamp() + call_time WHERE workspace = $1 AND epoch = ANY($2) AND arrived IS NULL",
				s.workspace, epochs)
			return err
		})
		if err != nil {
			return err
		}
		for _, path := range paths {
			_ = os.Remove(path) // another process may have done it
		}
		return nil
	})
}
