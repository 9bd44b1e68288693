package enrich

import "testing"

func TestRecordedFieldsTakeTheirWordsFromTheCatalogueByName(t *testing.T) {
	recorded, known := Named("company", "older"), Named("insights", "company")
	known.Fields[0].Plural, known.Fields[1].Word, known.Fields[1].Plural = "insights", "firm", "companies"
	worded := recorded.WithWords(known)
	for f, want := range map[Field][2]string{0: {"firm", "companies"}, 1: {"older", "olders"}} {
		if got := [2]string{worded.Word(f), worded.Plural(f)}; got != want {
			t.Errorf("the words of %s are %q, want %q", worded.Name(f), got, want)
		}
	}
	if recorded.Word(0) != "company" {
		t.Error("the recorded catalogue changed")
	}
}
