package pgstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"payonce/checkpoint/record"
)

// Snapshot is the store of a workspace as it was when it was opened, for a process that only reads. It implements
// record.Store.
type Snapshot struct {
	reader
	version uint64
}

// ErrNone says that a database has no journal of the workspace.
var ErrNone = errors.New("the database has no journal of the workspace")

// Read opens a snapshot of the journal of a workspace. It writes nothing, not even an epoch. The error wraps ErrNone
// when there is no journal, and record.ErrEncryptionKey when the key of its values does not fit; that is nil for a
// journal that is not encrypted.
func Read(address, workspace string, key []byte) (*Snapshot, error) {
	s, encryption, err := snapshotOf(address, workspace)
	if err != nil {
		return nil, err
	}
	if s.values, err = codecOf(key, encryption); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// Exists reports whether a database has a journal of a workspace.
func Exists(address, workspace string) (bool, error) {
	s, _, err := snapshotOf(address, workspace)
	if errors.Is(err, ErrNone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, s.Close()
}

// snapshotOf opens a snapshot without its codec. It returns the encryption column of the workspace.
func snapshotOf(address, workspace string) (s *Snapshot, encryption []byte, err error) {
	config, err := configOf(address)
	if err != nil {
		return nil, nil, err
	}
	s = &Snapshot{reader: reader{link: &link{config: config}, workspace: workspace}}
	missing := false
	err = s.do(func(ctx context.Context, conn *pgx.Conn) error {
		// Every statement sees what was committed when the first one began. The transaction writes nothing.
		if _, err := conn.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); err != nil {
			return err
		}
		tables, err := versionOf(ctx, conn)
		if err != nil || tables == 0 {
			missing = tables == 0 && err == nil
			return err
		}
		var version int64
		// A reader may not migrate. Of the columns that a snapshot reads, older tables lack only this one.
		column := "encryption"
		if tables < encryptionVersion {
			column = "''::bytea"
		}
		err = conn.QueryRow(ctx, `SELECT version, `+column+` FROM payonce_workspace AS w WHERE workspace = $1
			AND EXISTS (SELECT FROM payonce_record AS r WHERE r.workspace = w.workspace AND r.key = $2)`, workspace, record.IdentityKey).Scan(&version, &encryption)
		missing, s.version = errors.Is(err, pgx.ErrNoRows), uint64(version)
		if missing {
			err = nil
		}
		return err
	})
	if err == nil && missing {
		err = fmt.Errorf("%w %q", ErrNone, workspace)
	}
	if err != nil {
		s.close()
		return nil, nil, err
	}
	s.once = true
	return s, encryption, nil
}

// Commit implements record.Store. It writes nothing.
func (s *Snapshot) Commit([]record.Write) error {
	return fmt.Errorf("%w: it is a snapshot", record.ErrNotWritable)
}

// Version implements record.Store.
func (s *Snapshot) Version() uint64 { return s.version }

// Close implements record.Store.
func (s *Snapshot) Close() error {
	s.close()
	return nil
}

// AddressOf returns the address of a database without the password, to show it to people. It can be given to --journal.
// Addresses that differ only in their settings have the same result.
func AddressOf(address string) string {
	config, err := configOf(address)
	if err != nil {
		return "a database"
	}
	shown := url.URL{Scheme: "postgres", User: url.User(config.User), Path: "/" + config.Database}
	if network, _ := pgconn.NetworkAddress(config.Host, config.Port); network == "unix" {
		shown.RawQuery = "host=" + strings.ReplaceAll(url.QueryEscape(config.Host), "%2F", "/") + "&port=" + fmt.Sprint(config.Port)
	} else {
		shown.Host = net.JoinHostPort(config.Host, fmt.Sprint(config.Port))
	}
	return shown.String()
}

// NameOf returns a name for the database of a URL that does not depend on the password: for a directory of local files.
func NameOf(address string) (string, error) {
	config, err := configOf(address)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%s", config.Host, config.Port, config.Database))
	return "shared-" + hex.EncodeToString(hash[:4]), nil
}

// HasPassword reports whether a URL itself has a password, or cannot be read.
func HasPassword(address string) bool {
	at, err := url.Parse(address)
	if err != nil || at.Query().Has("password") {
		return true
	}
	_, has := at.User.Password()
	return has
}
