package simulation_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"payonce/io/csvtable"
	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
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

// An output notices that the list is longer than its index.
func TestAListThatGrowsBeforeItIsWrittenIsNoticed(t *testing.T) {
	list := csvList("profile url,first name,email,phone\n" + strings.Repeat(profiles+"p1,Ada,,\n", 50))
	output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: list.scope(t, v1.AllFields), Run: "run"}
	schema := table.Schema{Columns: []string{"profile url", "first name", "email", "phone"}}
	writer := csvtable.NewEncoder(io.Discard, csvtable.Dialect{}, schema, output.Columns(schema))
	_, err := callAndWrite(t.Context(), output, growing{list, new(int)}, drawnAnswers{drawnJournal{}}, writer, nil)
	if !errors.Is(err, scan.ErrListChanged) {
		t.Errorf("%v, want %v", err, scan.ErrListChanged)
	}
}
