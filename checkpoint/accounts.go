package checkpoint

import (
	"bytes"
	"errors"
	"fmt"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// AccountOptions say what the journal has to know of an account to decide about its calls.
type AccountOptions struct {
	Rate      Rate
	Catalogue enrich.Catalogue // of its interface
	Tariff    cost.Tariff      // of its interface; if it has no meters, money and a free allowance for each field
}

// Account returns the number of an account, which it records durably when the journal does not know the
// account yet. Calls of an account other than 0 can begin only after Account was called for it. The same
// interface at the same service with another key is another account; when a key was replaced, call
// RecordAPIKey on the journal of the account first. Fields that the catalogue got at its end since are
// added. Other accounts may have calls in flight meanwhile.
func (j *Journal) Account(id AccountID, options AccountOptions) (attempt.Account, error) {
	j.registering.Lock()
	defer j.registering.Unlock()
	if id.Interface == "" || len(options.Catalogue.Fields) == 0 || options.Rate.Slots < 1 {
		return 0, errors.New("an account needs an interface, a catalogue and a rate")
	}
	j.lock() // so that no other process registers an account meanwhile
	number, wanted, changed, err := j.registry().Find(id, options.Catalogue)
	var durable <-chan error
	if err == nil && changed {
		durable, err = j.register(number, wanted)
	}
	j.mu.Unlock()
	if durable != nil {
		err = <-durable
	}
	if err != nil || number == 0 || j.readOnly() {
		return number, err
	}
	return number, j.makeReady(number, options)
}

// registry returns what the records say about the accounts.
func (j *Journal) registry() accountRegistry {
	return accountRegistry{
		Store: j.store, Secret: j.secret, First: j.first.Catalogue.Interface, Service: j.first.Service,
	}
}

// notOpened says that Account was not called for the account.
func (j *Journal) notOpened() error {
	return fmt.Errorf("account %d was not opened, so its rate and its meters are not known", j.number)
}

// register records an account. The account is new, or it gets more fields. The lock is held. The channel, when there is
// one, says that the record is durable.
func (j *Journal) register(number attempt.Account, r record.Registration) (durable <-chan error, err error) {
	write, err := record.Replace(j.store, record.AccountKey(number), &r)
	if err != nil {
		return nil, err
	}
	known := j.state.accountOf(number)
	if j.failure != nil && (known == nil || !j.readOnly()) {
		return nil, j.failure
	}
	if known == nil {
		by := j.drainsAll()
		known = j.state.addAccount(r.Catalogue())
		known.DrainedBy = by
	}
	known.Catalogue = r.Catalogue()
	if j.readOnly() { // the owner records the fields when it needs them
		return nil, nil
	}
	return j.enqueue(nil, write), nil
}

// makeReady finds the slots of an account, so that its calls can begin.
func (j *Journal) makeReady(number attempt.Account, options AccountOptions) error {
	if j.shared.store != nil {
		return j.makeSharedReady(number, options)
	}
	j.mu.Lock()
	a, now := j.state.accountOf(number), j.now()
	ready, others := a.Ready, len(j.state.accounts) > 1
	j.mu.Unlock()
	if ready {
		return nil
	}
	j.mu.Lock()
	a.SetTerms(options.Rate, options.Tariff) // a part of it is recorded
	j.mu.Unlock()
	// The account has no later call, and those of other accounts may be in flight.
	if err := a.RecoverWindow(j.store, j.state.opened, now, others, func(attempt.ID) (callEnd, bool) { return callEnd{}, false }); err != nil {
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
	a := j.state.accountOf(number)
	if a == nil { // another process may have registered it
		j.mu.Unlock()
		j.look()
		a = j.state.accountOf(number)
	}
	defer j.mu.Unlock()
	if a == nil {
		return nil, fmt.Errorf("the journal has no account %d", number)
	}
	return &Journal{ledger: j.ledger, number: number, fields: a.Catalogue.All()}, nil
}

// AccountAt returns the number of the account from 1 on that has an interface at a service, whatever its
// key is. Of several it returns the last.
func (j *Journal) AccountAt(interfaceName, service string) (number attempt.Account, found bool, err error) {
	return j.registry().At(interfaceName, service)
}

// Number returns the number of the account that sees the journal.
func (j *Journal) Number() attempt.Account { return j.number }

// Accounts returns how many accounts the journal has. Their numbers begin at 0.
func (j *Journal) Accounts() attempt.Account { return attempt.Account(len(j.Catalogues())) }

// own returns the state of the account. The caller holds the lock.
func (j *Journal) own() *accountState { return j.state.accounts[j.number] }

// Catalogues returns the fields of each account.
func (j *Journal) Catalogues() (all []enrich.Catalogue) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, a := range j.state.accounts {
		all = append(all, a.Catalogue)
	}
	return all
}

// Errors of CheckAPIKey. Another key or another service may belong to another workspace.
var (
	ErrOtherKey     = errors.New("this journal was made with another API key")
	ErrOtherService = errors.New("this journal was made with a service at another address")
)

// CheckAPIKey compares the key with the one that the account was used with, of which the journal keeps
// a fingerprint alone. For the account 0, it also compares the service that the journal was opened for. A
// new key is ErrOtherKey, and another service ErrOtherService, unless the caller says that it belongs to
// the same workspace.
func (j *Journal) CheckAPIKey(apiKey string, sameWorkspace bool) error {
	known, found, err := j.registry().KnownKey(j.number)
	if err != nil || sameWorkspace {
		return err
	}
	if found && !equalFingerprints(known, j.registry().Fingerprint(apiKey)) {
		return ErrOtherKey
	}
	other, err := j.registry().IsOtherService()
	if err == nil && other && j.number == 0 {
		err = ErrOtherService
	}
	return err
}

// RecordAPIKey makes the key, which the service has accepted, that of the account. For the account 0,
// it does the same with the service that the journal was opened for.
func (j *Journal) RecordAPIKey(apiKey string) error {
	fingerprint := j.registry().Fingerprint(apiKey)
	if j.number == 0 {
		if other, err := j.registry().IsOtherService(); other || err != nil {
			renamed := j.registry().RenamedFirst()
			if err == nil {
				err = replace(j, record.FirstAccountKey, &renamed)
			}
			if err != nil {
				return err
			}
		}
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
