package starting

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestTheCommandLineNamesNoAddressAndNobody(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	for _, name := range append([]string{"name"}, private...) {
		flags.String(name, "", "")
	}
	given := []string{"--name=a b"}
	for _, name := range private {
		given = append(given, "--"+name+"=https://u:secret@a.example")
	}
	if err := flags.Parse(given); err != nil {
		t.Fatal(err)
	}
	if line := CommandLine("batch run", []string{"list.csv"}, flags); strings.Contains(line, "secret") || line != `batch run list.csv '--name=a b'` {
		t.Error(line)
	}
}

// A command that ends before its workspace is known is not recorded.
func TestARecordThatDidNotBeginRecordsNothing(t *testing.T) {
	t.Parallel()
	new(Record).End(2, "usage")
	(*Record)(nil).End(2, "usage")
	(*Record)(nil).Ran(nil)
}
