package checkpoint

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// AccountID identifies an account: an interface, at a service, with an API key. Of the key the journal keeps a
// fingerprint.
type AccountID struct {
	Interface string
	// Service is the base URL of the service. Base URLs with the same Service are equal. For a service
	// whose address changes, such as an embedded one, it is a name that stays the same.
	Service string
	Key     string
}

// accountRegistry is what the records of a journal say about its accounts.
type accountRegistry struct {
	Store  record.Store
	Secret []byte // of the journal
	// First is the interface of the account 0, and Service the service that the journal was opened for, ""
	// when it was opened for none.
	First, Service string
}

// Fingerprint returns what the journal keeps of an API key.
func (r accountRegistry) Fingerprint(key string) []byte {
	hash := sha256.New()
	hash.Write(r.Secret)
	hash.Write([]byte(key))
	return hash.Sum(nil)
}

// Find returns the number of an account and how it has to be registered. If changed is true, the
// journal has no such registration yet: the account is new, or its interface has more fields than before.
// A field keeps its number, so any other difference between the fields is an error.
func (r accountRegistry) Find(id AccountID, catalogue enrich.Catalogue) (number attempt.Account, wanted record.Registration, changed bool, err error) {
	if first, err := r.isFirst(id); first || err != nil {
		return 0, wanted, false, err
	}
	wanted = record.Registration{
		Interface: id.Interface, Service: serviceOf(id.Service), Fingerprint: r.Fingerprint(id.Key),
		Fields: catalogue.NamesOf(catalogue.All()),
	}
	known, err := record.Registrations(r.Store)
	if err != nil {
		return 0, wanted, false, err
	}
	number = attempt.Account(1 + len(known))
	for n, k := range known {
		if k.Interface != wanted.Interface || serviceOf(k.Service) != wanted.Service || !equalFingerprints(k.Fingerprint, wanted.Fingerprint) {
			continue
		}
		number = attempt.Account(1 + n)
		if slices.Equal(k.Fields, wanted.Fields) {
			return number, k, false, nil
		}
		if len(k.Fields) > len(wanted.Fields) || !slices.Equal(k.Fields, wanted.Fields[:len(k.Fields)]) {
			return 0, wanted, false, fmt.Errorf("%w: account %d has the fields %q, and this program knows %q",
				record.ErrCorrupt, number, k.Fields, wanted.Fields)
		}
	}
	return number, wanted, true, nil
}

// At returns the number of the account from 1 on that has an interface at a service, whatever its key is.
// Of several it returns the last.
func (r accountRegistry) At(interfaceName, service string) (number attempt.Account, found bool, err error) {
	known, err := record.Registrations(r.Store)
	for n, k := range known {
		if k.Interface == interfaceName && serviceOf(k.Service) == serviceOf(service) {
			number, found = attempt.Account(n+1), true
		}
	}
	return number, found, err
}

// isFirst reports whether an account is the account 0. It fails when that cannot be known yet, because
// the same account with two numbers would pay twice.
func (r accountRegistry) isFirst(id AccountID) (bool, error) {
	if id.Interface != r.First {
		return false, nil
	}
	service, err := r.firstService()
	service = cmp.Or(service, serviceOf(r.Service))
	if err != nil || service != "" && serviceOf(id.Service) != service {
		return false, err
	}
	known, found, err := r.KnownKey(0)
	if err == nil && !found && service != "" {
		err = errors.New("the API key of the first account is not known yet, and this account has the same service")
	}
	return found && equalFingerprints(known, r.Fingerprint(id.Key)), err
}

// firstService returns the recorded service of the account 0, "" when there is none.
func (r accountRegistry) firstService() (string, error) {
	first, _, err := record.Load[record.FirstAccount](r.Store, record.FirstAccountKey)
	return serviceOf(first.Service), err
}

// IsOtherService reports whether the journal was opened for another service than that of its account 0.
func (r accountRegistry) IsOtherService() (bool, error) {
	known, err := r.firstService()
	return r.Service != "" && known != "" && known != serviceOf(r.Service), err
}

// NameFirst returns the write that records the service of the account 0, when the journal does not know
// it and was opened for one.
func (r accountRegistry) NameFirst() ([]record.Write, error) {
	if known, err := r.firstService(); known != "" || r.Service == "" || err != nil {
		return nil, err
	}
	renamed := r.RenamedFirst()
	write, err := record.Replace(r.Store, record.FirstAccountKey, &renamed)
	return []record.Write{write}, err
}

// RenamedFirst returns the record of the account 0 with the service that the journal was opened for.
func (r accountRegistry) RenamedFirst() record.FirstAccount {
	return record.FirstAccount{Service: serviceOf(r.Service)}
}

// KnownKey returns the fingerprint of the API key that an account was used with.
func (r accountRegistry) KnownKey(number attempt.Account) (fingerprint []byte, found bool, err error) {
	if number == 0 {
		return record.Load[[]byte](r.Store, record.FingerprintKey)
	}
	known, found, err := record.Load[record.Registration](r.Store, record.AccountKey(number))
	return known.Fingerprint, found, err
}

// equalFingerprints compares fingerprints.
func equalFingerprints(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }
