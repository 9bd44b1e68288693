package workspace

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
	"payonce/checkpoint/remote"
)

// Owner is what the process that owns a journal says about itself.
type Owner struct {
	Command string    `json:"command"`
	Process int       `json:"process"`
	Since   time.Time `json:"since"`
	Progress
	// Reading says that the process only reads, and soon ends.
	Reading bool `json:"reading,omitempty"`
	// Embedded is the address of the embedded service of the process, "" for none.
	Embedded string `json:"embedded,omitempty"`
}

// owner returns what a command that begins now says about itself.
func (e Environment) owner(doing string) func() Owner {
	since := e.Now()
	return func() Owner {
		owner := Owner{Command: doing, Process: os.Getpid(), Since: since}
		if e.Progress != nil {
			owner.Progress = e.Progress()
		}
		return owner
	}
}

// ownerOf asks the owner of the journal in dir about itself.
func ownerOf(dir string) (owner Owner, err error) {
	text, err := remote.Owner(dir)
	if err != nil {
		return owner, err
	}
	if err := json.Unmarshal(text, &owner); err != nil {
		return owner, fmt.Errorf("what the owner of the journal says about itself cannot be read: %w", err)
	}
	return owner, nil
}

// owned is the store of a journal that this process owns. It serves readers until it is closed.
type owned struct {
	*badgerstore.Store
	server *remote.Server // nil when there is no socket
}

// doing is what a process does with a journal that it owns.
type doing struct {
	reading bool // only
	opening bool // the journal, so that nobody may read before ready is called
	// recording says that the process may record in the journal which files it wrote.
	recording bool
}

// ready says that the journal is open.
func (s *owned) ready() {
	if s.server != nil {
		s.server.Ready()
	}
}

// serveReaders lets other processes read a journal. Where a socket cannot be made, as on some network
// drives, they cannot, and all else goes on. Nobody reads while the store has calls of a process that was
// killed: they would count as in flight until the journal is opened.
func serveReaders(dir string, s *badgerstore.Store, o Opening, does doing) *owned {
	recovered, _ := record.IsRecovered(s) // what cannot be read is not served
	server, err := remote.Serve(dir, func() remote.Snapshot { return s.Snapshot() }, remote.Options{
		Key: o.Store.EncryptionKey, Opening: does.opening || !recovered,
		Owner: func() []byte {
			owner := Owner{}
			if o.Owner != nil {
				owner = o.Owner()
			}
			owner.Reading = does.reading
			text, _ := json.Marshal(owner) // of texts and numbers
			return text
		},
	})
	if err != nil {
		return &owned{Store: s}
	}
	return &owned{s, server}
}

// Close ends the readers' connections and closes the store.
func (s *owned) Close() (err error) {
	if s.server != nil {
		_ = s.server.Close() // a socket that stays is replaced by the next owner
	}
	return s.Store.Close()
}
