package configs

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func letters(name, value string) error {
	if value == "bad" {
		return errors.New("no value of " + name)
	}
	return nil
}

func TestPairsFlagReadsSinglePairsAndLists(t *testing.T) {
	v := PairsFlag{Form: "NAME=VALUE", Check: letters}
	for _, text := range []string{"b=2", "a = 1,c=x=y", "b=2"} {
		if err := v.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "2", "c": "x=y"}, v.Values); diff != "" {
		t.Error(diff)
	}
	again := PairsFlag{Form: "NAME=VALUE", Check: letters}
	if err := again.Set(v.String()); err != nil || again.String() != "a=1,b=2,c=x=y" {
		t.Errorf("%q, %v", again.String(), err)
	}
	if err := again.Replace([]string{"d=4"}); err != nil || again.String() != "d=4" {
		t.Errorf("replaced: %q, %v", again.String(), err)
	}
	for text, want := range map[string]string{
		"": "write NAME=VALUE", "a": "write NAME=VALUE", "=1": "write NAME=VALUE", "a=": "write NAME=VALUE",
		"e=bad": "no value of e", "d=5": "d is given twice, as 4 and as 5",
	} {
		if err := again.Set(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
