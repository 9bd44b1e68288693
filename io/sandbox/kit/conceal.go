package kit

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Concealing returns a function that makes texts unreadable: equal texts stay equal. Without the key, nobody can test
// whether a text is among them. The kind of an identity, which stands before the first separator, stays.
func Concealing(key []byte) func(text string) string {
	return func(text string) string {
		kind, rest, hasKind := strings.Cut(text, separator)
		if !hasKind {
			kind, rest = "", text
		}
		if rest == "" || strings.HasPrefix(rest, concealed) {
			return text
		}
		mac := hmac.New(sha256.New, key)
		_, _ = io.WriteString(mac, text) // a hash takes everything
		hidden := concealed + hex.EncodeToString(mac.Sum(nil)[:16])
		if hasKind {
			return kind + separator + hidden
		}
		return hidden
	}
}

const (
	separator = "\x1f" // as identities have it
	concealed = "#"
)

// Conceal makes a member of all entries of a file unreadable. No process may write to the file. A file that is not
// there is left so. The file is replaced whole or not at all.
func Conceal(path, member string, conceal func(string) string) error {
	old, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer old.Close()
	fresh := path + ".new"
	file, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	changed, err := concealLines(file, old, member, conceal)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil && changed {
		if err = os.Rename(fresh, path); err == nil {
			err = syncDir(filepath.Dir(path))
		}
	}
	if err != nil {
		err = fmt.Errorf("ledger %s: %w", path, err)
	}
	if err != nil || !changed {
		err = errors.Join(err, os.RemoveAll(fresh))
	}
	return err
}

// concealLines copies entries. It reports whether one of them changed. A last line without its end is left out, as
// opening the file does.
func concealLines(to io.Writer, from io.Reader, member string, conceal func(string) string) (changed bool, err error) {
	w := bufio.NewWriter(to)
	for reader := bufio.NewReader(from); ; {
		line, err := reader.ReadBytes('\n')
		if err == io.EOF {
			return changed, w.Flush()
		}
		if err != nil {
			return changed, err
		}
		other, err := concealLine(line, member, conceal)
		if err != nil {
			return changed, err
		}
		changed = changed || !bytes.Equal(line, other)
		if _, err := w.Write(other); err != nil {
			return changed, err
		}
	}
}

func concealLine(line []byte, member string, conceal func(string) string) ([]byte, error) {
	entry := map[string]json.RawMessage{}
	var text string
	if err := json.Unmarshal(line, &entry); err != nil {
		return nil, err
	}
	if raw, there := entry[member]; !there || json.Unmarshal(raw, &text) != nil {
		return line, nil
	}
	hidden := conceal(text)
	if hidden == text {
		return line, nil
	}
	entry[member], _ = json.Marshal(hidden) // a text always has a form
	changed, err := json.Marshal(entry)
	return append(changed, '\n'), err
}

func syncDir(dir string) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}
