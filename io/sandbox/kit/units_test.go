package kit

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func someConfig() UnitConfig {
	config := UnitConfig{Key: "key", Totals: map[Module]int64{}, Window: Window{Limit: 60, Per: time.Minute}}
	for _, m := range Modules() {
		config.Totals[m] = 100
	}
	config.Now = func() time.Time { return time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC) }
	return config
}

func opened(t *testing.T, config UnitConfig) *UnitLedger {
	t.Helper()
	b, err := OpenUnitLedger(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Audit(); err != nil {
			t.Error(err)
		}
		_ = b.Close()
	})
	return b
}

// used returns what the modules used that used anything.
func used(b *UnitLedger) map[Module]int64 {
	all := map[Module]int64{}
	for _, u := range b.Usage() {
		if u.Used != 0 {
			all[u.Module] = u.Used
		}
	}
	return all
}

func count(t *testing.T, b *UnitLedger, number int, c UnitCharge) {
	t.Helper()
	if code, err := b.Count(number, c); code != "" || err != nil {
		t.Fatalf("%q %v", code, err)
	}
}

// TestResetKeepsWatchedCompanies: a period begins with the units of the companies that are watched.
func TestResetKeepsWatchedCompanies(t *testing.T) {
	b := opened(t, someConfig())
	for range 3 {
		count(t, b, b.Arrive(UnitCall{Key: "key_1"}).Number, UnitCharge{Module: Watch, Units: 1})
		count(t, b, b.Arrive(UnitCall{Key: "key_1"}).Number, UnitCharge{Module: Companies, Units: 1})
	}
	if err := b.Reset(); err != nil {
		t.Fatal(err)
	}
	if err := b.Return("path", "about", UnitCharge{Module: Watch, Units: 1}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[Module]int64{Watch: 2}, used(b)); diff != "" {
		t.Error(diff)
	}
}

// TestCallThatIsNotKeptIsCounted: the ledger keeps few records, and an old call ends after many others.
func TestCallThatIsNotKeptIsCounted(t *testing.T) {
	config := someConfig()
	config.KeepRecords = 2
	b := opened(t, config)
	old := b.Arrive(UnitCall{Key: "key_1"}).Number
	for range 10 {
		count(t, b, b.Arrive(UnitCall{Key: "key_1"}).Number, UnitCharge{Module: Companies, Units: 1})
	}
	count(t, b, old, UnitCharge{Module: Contacts, Units: 1, Emails: 1})
	if diff := cmp.Diff(map[Module]int64{Companies: 10, Contacts: 1}, used(b)); diff != "" {
		t.Error(diff)
	}
	if n := len(b.Records()); n > 4 {
		t.Errorf("%d records are kept", n)
	}
}

// TestInvalidUnitChangesAreRefused: each is refused and changes nothing.
func TestInvalidUnitChangesAreRefused(t *testing.T) {
	b := opened(t, someConfig())
	minus := int64(-1)
	for name, test := range map[string]struct{ got, want error }{
		"the total of no module":   {b.SetTotal("money", 1), ErrUnknown},
		"a total below zero":       {b.SetTotal(Companies, -1), ErrInvalid},
		"a huge total":             {b.SetTotal(Companies, maxUnits+1), ErrInvalid},
		"a daily limit below zero": {b.SetDaily(Companies, &minus), ErrInvalid},
		"more than the total":      {b.UseElsewhere(UnitCharge{Module: Companies, Units: 101}), ErrInvalid},
		"emails below zero":        {b.UseElsewhere(UnitCharge{Module: Contacts, Emails: -1}), ErrInvalid},
		"watched companies":        {b.UseElsewhere(UnitCharge{Module: Watch, Units: 1}), ErrInvalid},
		"no key":                   {b.RevokeKey("key_2"), ErrUnknown},
	} {
		if !errors.Is(test.got, test.want) {
			t.Errorf("%s: %v", name, test.got)
		}
	}
	if diff := cmp.Diff(map[Module]int64{}, used(b)); diff != "" || len(b.Records()) != 0 {
		t.Error(diff, b.Records())
	}
}

// TestALedgerReadsItsFile: everything that was set is there again after a restart.
func TestALedgerReadsItsFile(t *testing.T) {
	config := someConfig()
	config.Path = filepath.Join(t.TempDir(), "books")
	b := opened(t, config)
	limit := int64(5)
	_, value, err := b.CreateKey()
	number := b.Arrive(UnitCall{Key: "key_1", Path: "/v2/x", About: "y"}).Number
	count(t, b, number, UnitCharge{Module: Contacts, Units: 1, Emails: 1, Phones: 1})
	second := b.Arrive(UnitCall{Key: "key_2"}).Number
	err = errors.Join(err, b.Refuse(second, NotFound), b.SetTotal(Companies, 7), b.SetDaily(Companies, &limit), b.RevokeKey("key_1"),
		b.UseElsewhere(UnitCharge{Module: Companies, Units: 2}))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	again := opened(t, config)
	equal := cmp.AllowUnexported(ModuleUsage{})
	if diff := cmp.Diff(b.Usage(), again.Usage(), equal); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(b.Records(), again.Records()); diff != "" {
		t.Error(diff)
	}
	if _, valid := again.Identify("key"); valid {
		t.Error("a revoked key is valid again")
	}
	if id, valid := again.Identify(value); id != "key_2" || !valid {
		t.Errorf("the second key is %q, %t", id, valid)
	}
	if emails, phones := again.Found(config.Now(), config.Now()); emails != 1 || phones != 1 {
		t.Errorf("%d emails, %d phones", emails, phones)
	}
}

// TestDamagedFiles are refused.
func TestDamagedFiles(t *testing.T) {
	for _, text := range []string{
		"something else\n", fileHeader + "{}\n", fileHeader + `{"kind":"arrived","number":2,"at":"2026-11-23T10:00:00Z","period":0}` + "\n",
		fileHeader + `{"kind":"counted","module":"money","at":"2026-11-23T10:00:00Z","period":0}` + "\n",
		fileHeader + `{"kind":"counted","number":1,"at":"2026-11-23T10:00:00Z","period":0}` + "\n",
		fileHeader + `{"kind":"total_set","module":"companies","at":"2026-11-23T10:00:00Z","period":0}` + "\n",
	} {
		config := someConfig()
		config.Path = filepath.Join(t.TempDir(), "books")
		if err := os.WriteFile(config.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if b, err := OpenUnitLedger(config); err == nil {
			_ = b.Close()
			t.Errorf("opened: %s", text)
		}
	}
}

// FuzzOpen: no file breaks the ledger, and one that is opened balances.
func FuzzOpen(f *testing.F) {
	for _, line := range []string{
		`{"kind":"arrived","number":1,"key":"key_1","at":"2026-11-23T10:00:00Z","period":0}`,
		`{"kind":"counted","module":"watch","units":1,"at":"2026-11-23T10:00:00Z","period":0}` + "\n" + `{"kind":"reset","at":"2026-11-23T10:00:00Z","period":0}`,
		`{"kind":"daily_set","module":"companies","limit":1,"at":"2026-11-23T10:00:00Z","period":0}`,
		`{"kind":"counted","number":9,"module":"contacts","emails":1,"at":"2026-11-23T10:00:00Z","period":3}`,
	} {
		f.Add(line + "\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		config := someConfig()
		config.KeepRecords = 1
		config.Path = filepath.Join(t.TempDir(), "books")
		if err := os.WriteFile(config.Path, []byte(fileHeader+text), 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := OpenUnitLedger(config)
		if err != nil {
			return
		}
		if err := b.Audit(); err != nil {
			t.Error(err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
}
