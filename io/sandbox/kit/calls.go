package kit

import (
	"crypto/rand"
	"fmt"
	"time"
)

// Identify returns the ID of the key with a value. It reports false for a value that no valid key has.
func (l *UnitLedger) Identify(value string) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key, found := l.byHash[hashOf(value)]
	if !found || key.Revoked {
		return "", false
	}
	return key.ID, true
}

// UnitCall is a call as it arrives.
type UnitCall struct {
	Key   string // the ID of its key
	Path  string
	About string
}

// UnitAdmission is what the ledger says to a call that arrives.
type UnitAdmission struct {
	Number int
	Code   Code          // why it is refused; empty when it is not
	Wait   time.Duration // with RateLimited, until a place in the window is free
	Err    error         // with InternalError, what is wrong with the ledger
}

// Arrive numbers a call and counts it against the rate limit of its key, unless it is refused.
func (l *UnitLedger) Arrive(c UnitCall) UnitAdmission {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	a := UnitAdmission{Number: l.arrivals + 1, Code: InvalidToken}
	for _, key := range l.keys {
		if key.ID != c.Key || key.Revoked {
			continue
		}
		a.Code = ""
		if a.Wait = key.window.Wait(now); a.Wait > 0 {
			a.Code = RateLimited
		}
	}
	err := l.file.Record(entry{Kind: arrived, UnitRecord: UnitRecord{
		Number: a.Number, At: now, Key: c.Key, Path: c.Path, About: l.config.Conceal(c.About), Code: a.Code,
	}})
	if err != nil {
		a.Code, a.Err = InternalError, err
	}
	return a
}

// Allowed returns why a module refuses every call now, "" when it does not.
func (l *UnitLedger) Allowed(m Module) Code {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.allowed(m, l.now(), 1)
}

func (l *UnitLedger) allowed(m Module, now time.Time, units int64) Code {
	u := l.today(m, now)
	switch {
	case units <= 0:
		return ""
	case u.Used+units > u.Total:
		return Limit
	case u.DailyLimit != nil && u.UsedToday+units > *u.DailyLimit:
		return DailyLimit
	}
	return ""
}

// Count charges a call, unless a limit forbids it. With a code or an error nothing was counted, and the answer
// must not be shown. The limits are compared and the units counted in one step.
func (l *UnitLedger) Count(number int, c UnitCharge) (Code, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if code := l.allowed(c.Module, now, c.Units); code != "" {
		return code, nil
	}
	return "", l.file.Record(entry{Kind: counted, UnitRecord: UnitRecord{Number: number, At: now, UnitCharge: c}})
}

// Return gives units back that a call used up before.
func (l *UnitLedger) Return(path, about string, c UnitCharge) error {
	c.Units = -c.Units
	return l.change(entry{Kind: counted, UnitRecord: UnitRecord{Path: path, About: l.config.Conceal(about), UnitCharge: c}})
}

// Refuse notes that a call was refused.
func (l *UnitLedger) Refuse(number int, code Code) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Record(entry{Kind: refused, UnitRecord: UnitRecord{Number: number, At: l.now(), Code: code}})
}

// UseElsewhere counts what somebody else with the account used.
func (l *UnitLedger) UseElsewhere(c UnitCharge) error {
	if err := checkLimit(c.Module, c.Units); err != nil {
		return err
	}
	if c.Emails < 0 || c.Phones < 0 || c.Emails > maxUnits || c.Phones > maxUnits {
		return fmt.Errorf("%w: %d emails and %d phones", ErrInvalid, c.Emails, c.Phones)
	}
	if c.Module == Watch {
		return fmt.Errorf("%w: units of %s follow from the watched companies", ErrInvalid, Watch)
	}
	code, err := l.Count(0, c)
	if code != "" {
		return fmt.Errorf("%w: %s is reached", ErrInvalid, code)
	}
	return err
}

// change records an entry of the owner.
func (l *UnitLedger) change(e entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.At = l.now()
	return l.file.Record(e)
}

// SetTotal sets the total of a module.
func (l *UnitLedger) SetTotal(m Module, total int64) error {
	if err := checkLimit(m, total); err != nil {
		return err
	}
	return l.change(entry{Kind: totalSet, UnitRecord: UnitRecord{UnitCharge: UnitCharge{Module: m}}, Limit: &total})
}

// SetDaily sets the daily limit of a module; nil removes it.
func (l *UnitLedger) SetDaily(m Module, limit *int64) error {
	var value int64
	if limit != nil {
		value = *limit
	}
	if err := checkLimit(m, value); err != nil {
		return err
	}
	return l.change(entry{Kind: dailySet, UnitRecord: UnitRecord{UnitCharge: UnitCharge{Module: m}}, Limit: limit})
}

// BeginDay ends the daily limits as midnight does.
func (l *UnitLedger) BeginDay() error { return l.change(entry{Kind: dayBegan}) }

// Reset begins a period: every counter but that of watched companies begins at zero.
func (l *UnitLedger) Reset() error { return l.change(entry{Kind: reset}) }

// Keys returns the keys, revoked ones as well.
func (l *UnitLedger) Keys() []UnitKey {
	l.mu.Lock()
	defer l.mu.Unlock()
	var keys []UnitKey
	for _, key := range l.keys {
		keys = append(keys, UnitKey{ID: key.ID, Revoked: key.Revoked})
	}
	return keys
}

// CreateKey adds a key and returns its ID and its value, which cannot be had again.
func (l *UnitLedger) CreateKey() (id, value string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	value = "sandbox_v2_" + rand.Text()
	id = fmt.Sprintf("key_%d", len(l.keys)+1)
	return id, value, l.file.Record(entry{Kind: keyCreated, UnitRecord: UnitRecord{At: l.now(), Key: id}, Hash: hashOf(value)})
}

// RevokeKey makes every request with a key fail from now on.
func (l *UnitLedger) RevokeKey(id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range l.keys {
		if key.ID == id {
			return l.file.Record(entry{Kind: keyRevoked, UnitRecord: UnitRecord{At: l.now(), Key: id}})
		}
	}
	return fmt.Errorf("%w key %q", ErrUnknown, id)
}
