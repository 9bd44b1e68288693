package checkpoint

import (
	"bytes"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"time"

	"payonce/attempt"
	"payonce/checkpoint/account"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// AccountID identifies an account: an interface, at a base URL, with an API key. Of the key the journal
// keeps a fingerprint.
type AccountID struct {
	Interface, BaseURL, Key string
}

// AccountOptions say what the journal has to know of an account to decide about its calls.
type AccountOptions struct {
	Rate      Rate
	Catalogue enrich.Catalogue // of its interface
	Tariff    cost.Tariff      // of its interface; if it has no meters, money and a free allowance for each field
}

// Account returns the number of an account, which it records durably when the journal does not know the
// account yet. Calls of an account other than 0 can begin only after Account was called for it. The same
// interface at the same base URL with another key is another account; when a key was replaced, call
// RememberAPIKey on the journal of the account first.
func (j *Journal) Account(id AccountID, options AccountOptions) (attempt.Account, error) {
	j.registering.Lock()
	defer j.registering.Unlock()
	if isFirst, err := j.isFirst(id); isFirst || err != nil {
		return 0, err
	}
	if id.Interface == "" || len(options.Catalogue.Fields) == 0 || options.Rate.Slots < 1 {
		return 0, errors.New("an account needs an interface, a catalogue and a rate")
	}
	wanted := record.Registration{
		Interface: id.Interface, BaseURL: id.BaseURL, Fingerprint: j.fingerprint(id.Key),
		Fields: options.Catalogue.NamesOf(options.Catalogue.All()),
	}
	known, err := record.Registrations(j.store)
	if err != nil {
		return 0, err
	}
	number := attempt.Account(1 + slices.IndexFunc(known, wanted.Identifies))
	switch {
	case number == 0:
		number, err = j.register(wanted)
	case !slices.Equal(known[number-1].Fields, wanted.Fields):
		err = fmt.Errorf("%w: account %d has the fields %q, and this program knows %q", ErrCorrupt, number, known[number-1].Fields, wanted.Fields)
	}
	if err != nil || j.readOnly() {
		return number, err
	}
	return number, j.makeReady(j.state.accountOf(number), options, j.now())
}

// notOpened says that Account was not called for the account.
func (j *Journal) notOpened() error {
	return fmt.Errorf("account %d was not opened, so its rate and its meters are not known", j.number)
}

// isFirst reports whether an account is the account 0. It fails when that cannot be known yet, because
// the same account with two numbers would pay twice.
func (j *Journal) isFirst(id AccountID) (bool, error) {
	first := j.first
	if id.Interface != first.Catalogue.Interface || first.BaseURL != "" && id.BaseURL != first.BaseURL {
		return false, nil
	}
	known, found, err := record.Load[[]byte](j.store, record.FingerprintKey)
	if err == nil && !found && first.BaseURL != "" {
		err = errors.New("the API key of the first account is not known yet, and this account has the same service")
	}
	return found && subtle.ConstantTimeCompare(known, j.fingerprint(id.Key)) == 1, err
}

// register records an account durably.
func (j *Journal) register(r record.Registration) (attempt.Account, error) {
	j.lock()
	if j.failure != nil {
		defer j.mu.Unlock()
		return 0, j.failure
	}
	a := j.state.addAccount(r.Catalogue())
	durable := j.enqueue(nil, Write{Key: record.AccountKey(a.Number), Value: record.Encode(&r)})
	j.mu.Unlock()
	return a.Number, <-durable
}

// makeReady finds the slots of an account, so that its calls can begin.
func (j *Journal) makeReady(a *account.Account, options AccountOptions, now time.Time) error {
	j.mu.Lock()
	ready, next, others := a.Ready, j.state.persisted.NextID, len(j.state.accounts) > 1
	j.mu.Unlock()
	if ready {
		return nil
	}
	a.SetTerms(options.Rate, options.Tariff)
	if err := a.RecoverWindow(j.store, next, now, others); err != nil {
		return err
	}
	j.mu.Lock()
	a.Ready = true
	j.mu.Unlock()
	return nil
}

// recoverAccounts adds the accounts from 1 on, with their states.
func (j *Journal) recoverAccounts(states []record.Account) error {
	known, err := record.Registrations(j.store)
	if err != nil {
		return err
	}
	if len(known) != len(states) {
		return fmt.Errorf("%w: it has the states of %d accounts and %d registrations", ErrCorrupt, len(states), len(known))
	}
	for n, r := range known {
		j.state.addAccount(r.Catalogue()).Account = states[n]
	}
	return nil
}

// For returns the journal as another of its accounts sees it.
func (j *Journal) For(number attempt.Account) (*Journal, error) {
	if number == j.number {
		return j, nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	a := j.state.accountOf(number)
	if a == nil {
		return nil, fmt.Errorf("the journal has no account %d", number)
	}
	return &Journal{ledger: j.ledger, number: number, fields: a.Catalogue.All()}, nil
}

// AccountAt returns the number of the account from 1 on that has an interface at a base URL, whatever its
// key is. Of several it returns the last.
func (j *Journal) AccountAt(interfaceName, baseURL string) (number attempt.Account, found bool, err error) {
	known, err := record.Registrations(j.store)
	for n, r := range known {
		if r.Interface == interfaceName && r.BaseURL == baseURL {
			number, found = attempt.Account(n+1), true
		}
	}
	return number, found, err
}

// Number returns the number of the account that sees the journal.
func (j *Journal) Number() attempt.Account { return j.number }

// Accounts returns how many accounts the journal has. Their numbers begin at 0.
func (j *Journal) Accounts() attempt.Account { return attempt.Account(len(j.Catalogues())) }

// own returns the state of the account. The caller holds the lock.
func (j *Journal) own() *account.Account { return j.state.accounts[j.number] }

// Catalogues returns the fields of each account.
func (j *Journal) Catalogues() (all []enrich.Catalogue) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, a := range j.state.accounts {
		all = append(all, a.Catalogue)
	}
	return all
}

// ErrOtherKey says that the journal was made with another API key, which may
// belong to another workspace.
var ErrOtherKey = errors.New("this journal was made with another API key")

// CheckAPIKey compares the key with the one that the account was used with, of
// which the journal keeps a fingerprint alone. A new key is ErrOtherKey, unless the caller
// says that it belongs to the same workspace.
func (j *Journal) CheckAPIKey(apiKey string, sameWorkspace bool) error {
	known, found, err := j.knownFingerprint()
	if err != nil {
		return err
	}
	if found && !sameWorkspace && subtle.ConstantTimeCompare(known, j.fingerprint(apiKey)) != 1 {
		return ErrOtherKey
	}
	return nil
}

func (j *Journal) knownFingerprint() (known []byte, found bool, err error) {
	if j.number == 0 {
		return record.Load[[]byte](j.store, record.FingerprintKey)
	}
	r, found, err := record.Load[record.Registration](j.store, record.AccountKey(j.number))
	return r.Fingerprint, found, err
}

// RememberAPIKey makes the key, which the service has accepted, that of the account.
func (j *Journal) RememberAPIKey(apiKey string) error {
	fingerprint := j.fingerprint(apiKey)
	if j.number == 0 {
		return replace(j, record.FingerprintKey, &fingerprint)
	}
	j.registering.Lock()
	defer j.registering.Unlock()
	key := record.AccountKey(j.number)
	r, found, err := record.Load[record.Registration](j.store, key)
	if err != nil || !found || bytes.Equal(r.Fingerprint, fingerprint) {
		return err
	}
	r.Fingerprint = fingerprint
	return replace(j, key, &r)
}
