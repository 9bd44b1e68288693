package sandbox

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestKeys(t *testing.T) {
	l := newLedgered(t, func(*LedgerConfig) {})
	agent, value, err := l.CreateKey(NewKey{Name: "agent", Expires: l.now.Add(time.Hour)})
	l.must(err)
	old, oldValue, err := l.CreateKey(NewKey{Name: "old", Legacy: true})
	l.must(err)
	valid := func(when string, want map[string]bool) {
		t.Helper()
		for value, valid := range want {
			if _, ok := l.Identify(value); ok != valid {
				t.Errorf("%s: %s is valid: %t, want %t", when, value, ok, valid)
			}
		}
		l.check()
	}
	valid("at first", map[string]bool{l.config.Key: true, value: true, oldValue: true, "": false, "sandbox_": false})
	l.now = l.now.Add(time.Hour)
	valid("when it expires", map[string]bool{l.config.Key: true, value: false, oldValue: true})
	l.must(l.ExpireKey(agent.ID, time.Time{}))
	valid("when it never expires", map[string]bool{value: true})
	l.must(l.RevokeKey(ConfiguredKey))
	l.must(l.RevokeKey(ConfiguredKey))
	valid("when one is revoked", map[string]bool{l.config.Key: false, value: true, oldValue: true})
	l.must(l.ExpireKey(old.ID, l.now))
	valid("when one ends now", map[string]bool{oldValue: false})
	if keys := l.Keys(); len(keys) != 3 || keys[0].Revoked.IsZero() || keys[1].Name != "agent" || !keys[2].Legacy {
		t.Errorf("keys %+v", keys)
	}
}

// TestKeysAreShownOnce: a key's value stands neither in the file nor in the log.
func TestKeysAreShownOnce(t *testing.T) {
	l := newLedgered(t, func(*LedgerConfig) {})
	_, value, err := l.CreateKey(NewKey{Name: "agent"})
	l.must(err)
	text, err := os.ReadFile(l.config.LedgerPath)
	l.must(err)
	if strings.Contains(string(text), value) || !strings.Contains(string(text), hashOf(value)) {
		t.Errorf("the file is %s", text)
	}
	for _, e := range l.Log() {
		if e.Hash != "" {
			t.Errorf("the log shows %+v", e)
		}
	}
}

func TestInvalidKeyRequestsAreRefused(t *testing.T) {
	l := newLedgered(t, func(*LedgerConfig) {})
	for _, bad := range []NewKey{
		{}, {Name: "  "}, {Name: "a\nb"}, {Name: strings.Repeat("a", maxKeyName+1)}, {Name: "late", Expires: l.now},
	} {
		if _, _, err := l.CreateKey(bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for name, err := range map[string]error{"revoke": l.RevokeKey("key_9"), "expire": l.ExpireKey("key_9", l.now)} {
		if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), `there is no key "key_9"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	l.must(l.RevokeKey(ConfiguredKey))
	if err := l.ExpireKey(ConfiguredKey, l.now); !errors.Is(err, ErrInvalid) {
		t.Errorf("a revoked key was given a life: %v", err)
	}
}

// TestWorkspaceStateDecidesAboutLookupsAndStatus: who is let in, and who sees the status.
func TestWorkspaceStateDecidesAboutLookupsAndStatus(t *testing.T) {
	for state, want := range map[State]struct{ lookup, status ErrorCode }{
		Active:     {"", ""},
		Inactive:   {WorkspaceInactive, ""},
		Restricted: {AccessRestricted, AccessRestricted},
	} {
		l := newLedgered(t, func(*LedgerConfig) {})
		l.must(l.SetState(state))
		_, code := l.Status(ConfiguredKey)
		if lookup := l.refusal(anEmail); lookup != want.lookup || code != want.status {
			t.Errorf("%s: a lookup is refused with %q, the status with %q", state, lookup, code)
		}
		if l.window.Taken(l.now) != map[ErrorCode]int{"": 1}[want.lookup] {
			t.Errorf("%s: a refused arrival took a place", state)
		}
		l.check()
	}
}

// TestALookupIsRefusedWhenTheKeyIsRevokedBeforeItsReservation: a lookup that was let in is refused when the workspace
// was closed to its key before it reserved anything.
func TestALookupIsRefusedWhenTheKeyIsRevokedBeforeItsReservation(t *testing.T) {
	for want, closing := range map[ErrorCode]func(*ledgered) error{
		InvalidAPIKey:     func(l *ledgered) error { return l.RevokeKey(ConfiguredKey) },
		WorkspaceInactive: func(l *ledgered) error { return l.SetState(Inactive) },
	} {
		l := newLedgered(t, func(*LedgerConfig) {})
		a := l.Arrive(lookupIn(anEmail, "Ada"))
		l.must(closing(l))
		if code := l.Reserve(a.Number, anEmail); code != want {
			t.Errorf("%q, want %q", code, want)
		}
	}
	if code := newLedgered(t, func(*LedgerConfig) {}).Reserve(1, anEmail); code != ServiceMisconfigured {
		t.Errorf("nobody reserved: %q", code)
	}
}

// TestALedgerOfAnEarlierVersionIsReadAndContinued: a file of before there were keys and balances by source is read, and
// written on.
func TestALedgerOfAnEarlierVersionIsReadAndContinued(t *testing.T) {
	l := newLedgered(t, func(c *LedgerConfig) { c.IncludedCents, c.PrepaidCents = 20, 100 })
	l.must(l.Close())
	old := ledgerHeader + `{"kind":"arrived","at":"2026-11-28T11:00:00Z","number":1,"path":"/api/v1/contacts/enrich","identity":"x","fields":["work_email","business_phone"]}
{"kind":"settled","at":"2026-11-28T11:00:00Z","number":1,"request_id":"req_1","charges":[{"field":"work_email","amount":"0.15"},{"field":"business_phone","amount":"0.25"}]}
{"kind":"credit_spent","at":"2026-11-28T11:00:00Z","amount":"0.10"}
{"kind":"key_revoked","at":"2026-11-28T11:00:00Z"}
`
	l.must(os.WriteFile(l.config.LedgerPath, []byte(old), 0o600))
	l.Ledger = openLedgerOn(t, l.config)
	l.balance("read", 0, 700_000)
	if code := l.refusal(anEmail); code != InvalidAPIKey {
		t.Errorf("the revoked key: %q", code)
	}
	l.check()
}
