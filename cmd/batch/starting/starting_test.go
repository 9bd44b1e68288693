package starting

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestTheCommandLineHasNoAddress(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	for _, name := range []string{"base-url", "mcp-url", "name"} {
		flags.String(name, "", "")
	}
	if err := flags.Parse([]string{"--base-url=https://u:secret@a.example", "--mcp-url=https://u:secret@a.example", "--name=a b"}); err != nil {
		t.Fatal(err)
	}
	if line := CommandLine([]string{"list.csv"}, flags); strings.Contains(line, "secret") || line != `batch run list.csv '--name=a b'` {
		t.Error(line)
	}
}
