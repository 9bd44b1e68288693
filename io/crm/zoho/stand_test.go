package zoho_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"payonce/io/crm"
	"payonce/io/crm/crmtest"
	"payonce/io/crm/zoho"
	"payonce/io/iotest"
	sandbox "payonce/io/sandbox/crm"
	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/world"
)

// account is a CRM of the sandbox on a network in memory.
type account struct {
	*testing.T
	*sandbox.Server
	faults  *kit.FaultRules
	network *iotest.MemoryNetwork
	config  zoho.Config

	mu   sync.Mutex
	seen []string // method and path of each request
	peak int      // the most requests of the interface at a time
	busy int
}

// open serves a CRM until the test ends. Within a bubble, its network and its clock are those of the bubble.
func open(t *testing.T, change func(*sandbox.Config)) *account {
	config := sandbox.DefaultConfig()
	config.World.People = world.People{Seed: 7}
	config.Faults = kit.NewFaultRules(7, nil)
	if change != nil {
		change(&config)
	}
	a := &account{T: t, Server: sandbox.New(config), faults: config.Faults, network: iotest.NewMemoryNetwork()}
	a.config = zoho.Config{
		ClientID: sandbox.DefaultClientID, ClientSecret: sandbox.DefaultClientSecret, RefreshToken: sandbox.DefaultRefreshToken,
		AccountsURL: "http://127.0.0.1", APIURL: "http://127.0.0.1", TokenFile: filepath.Join(t.TempDir(), "token.json"), Dial: a.network.Dial,
	}
	server := &http.Server{Handler: http.HandlerFunc(a.serve), ErrorLog: iotest.QuietLogger()}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(a.network) // ends with Close
	}()
	t.Cleanup(func() {
		a.Close()
		_ = server.Close()
		<-served
	})
	return a
}

func (a *account) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.seen = append(a.seen, r.Method+" "+r.URL.Path)
	a.busy++
	a.peak = max(a.peak, a.busy)
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.busy--
	}()
	a.Handler().ServeHTTP(w, r)
}

// requests returns how many requests began with a method and a path.
func (a *account) requests(prefix string) (number int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, request := range a.seen {
		if strings.HasPrefix(request, prefix) {
			number++
		}
	}
	return number
}

// connect returns a connector to the CRM, as a process of its own has it.
func (a *account) connect(change func(*zoho.Config)) *zoho.Connector {
	a.Helper()
	config := a.config
	if change != nil {
		change(&config)
	}
	c, err := zoho.New(config)
	if err != nil {
		a.Fatal(err)
	}
	a.Cleanup(c.Close)
	return c
}

// The methods of crmtest.CRM.

func (a *account) Connector() crmtest.Connector { return a.connect(nil) }

func (a *account) Refused() crmtest.Connector {
	return a.connect(func(c *zoho.Config) { c.RefreshToken, c.TokenFile = "another", "" })
}

func (a *account) Contacts() (contacts []crmtest.Contact) {
	for _, c := range a.Server.Contacts() {
		contacts = append(contacts, crmtest.Contact{ID: c.ID, Website: c.Website, Values: c.Values})
	}
	return contacts
}

func (a *account) All() crm.Selection          { return crm.Selection{View: sandbox.ViewAll} }
func (a *account) WithoutEmail() crm.Selection { return crm.Selection{Condition: "Email is null"} }
func (a *account) UpdatePath() string          { return "/crm/v8/Contacts/" }
func (a *account) ReadPath() string            { return "/crm/v8/Contacts" }
func (a *account) Problems() []string          { return a.Audit().Problems }

func (a *account) must(err error) {
	if err != nil {
		a.Error(err)
	}
}

func (a *account) Edit(id string, values map[string]string) { a.must(a.Server.Edit(id, values)) }
func (a *account) Lock(id string)                           { a.must(a.Server.Lock(id, true)) }
func (a *account) Delete(id string)                         { a.must(a.Server.Delete(id)) }

func (a *account) Disturb(how crmtest.Disturbance, path string, times int) {
	a.faults.Clear()
	fault := map[crmtest.Disturbance]kit.Fault{
		crmtest.LostBefore:  {Answer: kit.Dropped},
		crmtest.LostAfter:   {Answer: kit.Dropped, Happened: true},
		crmtest.Failed:      {Answer: kit.Refused, Code: "INTERNAL_ERROR", Happened: true},
		crmtest.GatewayPage: {Answer: kit.ProxyPage},
		crmtest.Busy:        {Answer: kit.Refused, Code: "TOO_MANY_REQUESTS"},
	}[how]
	fault.Path, fault.Max = path, times
	a.faults.Add(fault)
}

func (a *account) Writes() (writes []string) {
	for _, w := range a.Audit().Writes {
		if w.By == "client" {
			writes = append(writes, w.Record+" "+w.Field+"="+w.After)
		}
	}
	return writes
}

func (a *account) Triggered() bool {
	for _, w := range a.Audit().Writes {
		if w.By == "client" && w.Trigger {
			return true
		}
	}
	return false
}
