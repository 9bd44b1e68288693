package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Process is a process that works on a journal and has not ended.
type Process struct {
	Epoch  int64
	Holder string // as in Options
	Since  time.Time
	// LeaseUntil is when its lease ends unless the process renews it. Now is the time of the database.
	LeaseUntil, Now time.Time
}

// Processes returns the processes of the journal that had not ended when the snapshot was opened, by their epochs.
func (s *Snapshot) Processes() (all []Process, err error) {
	err = s.do(func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT epoch, holder, started, seen + lease, clock_timestamp() FROM payonce_process
			WHERE workspace = $1 AND ended IS NULL ORDER BY epoch`, s.workspace)
		if err == nil {
			all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Process])
		}
		return err
	})
	return all, err
}
