package pipeline_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/table"
	"payonce/pipeline"
)

// growing is a list that is longer in each pass than in the one before.
type growing struct {
	csvList
	passes *int
}

func (g growing) Open([]int) (table.Reader, error) {
	*g.passes++
	return cutList{g.csvList + csvList(strings.Repeat("x,Ada,,\n", 1000*(*g.passes-1))), 10}.Open(nil)
}

// The passes of an output that go on in a temporary file notice that the list grows.
func TestAListThatGrowsWhileItIsWrittenInSeveralPasses(t *testing.T) {
	list := csvList("profile url,first name,email,phone\n" + strings.Repeat(profiles+"p1,Ada,,\n", 50))
	output := pipeline.Output{Scope: list.scope(t, enrich.AllFields), Run: "run"}
	output.Scope.Memory = 1
	schema := table.Schema{Columns: []string{"profile url", "first name", "email", "phone"}}
	writer := csvtable.NewEncoder(io.Discard, csvtable.Dialect{}, schema, output.Columns(schema))
	_, err := output.Write(t.Context(), growing{list, new(int)}, drawnAnswers{drawnJournal{}}, writer, nil)
	if !errors.Is(err, pipeline.ErrListChanged) {
		t.Errorf("%v, want %v", err, pipeline.ErrListChanged)
	}
}
