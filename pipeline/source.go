package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"payonce/pipeline/output"
)

// source returns a function that identifies all that the files of a request are made from: the program, the list, the
// options that decide how it is read and written, and what the journal knows now of all subjects. The function returns
// "" when that is not known. The output is a pure function of these, so files with the same source have the same bytes.
func (j *job) source(request output.Request) func() (string, error) {
	build := j.work.Env.Build
	if build == nil {
		return unknownSource
	}
	known := j.journal().Version() // before anything is read for the files
	return sync.OnceValues(func() (string, error) {
		program := build()
		if program == "" {
			return "", nil
		}
		list, err := j.list.Fingerprint()
		if err != nil {
			return "", err
		}
		hash := sha256.New()
		fmt.Fprintf(hash, "%q %q %x %q %q %t\n", program, list, known, request.Path, request.Rejects, request.Raw)
		if request.Tables.Dir != "" {
			fmt.Fprintf(hash, "tables %q %q\n", request.Tables.Dir, request.Tables.Format)
		}
		if request.NewValues != "" {
			fmt.Fprintf(hash, "new values %q\n", request.NewValues)
		}
		for _, s := range j.Steps {
			if s.Account.Journal != nil {
				fmt.Fprintf(hash, "account %d ", s.Account.Journal.Number())
			}
			fmt.Fprintln(hash)
		}
		fmt.Fprint(hash, request.Output.Configuration())
		return hex.EncodeToString(hash.Sum(nil)), nil
	})
}

// unknownSource identifies nothing, so that the files are written.
func unknownSource() (string, error) { return "", nil }
