package rehearse

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"payonce/internal/workspace"
	"payonce/sandbox"
)

// A key and a token that were given may be real ones: they are not printed.
func TestSandboxKeepsGivenSecrets(t *testing.T) {
	var out bytes.Buffer
	for _, given := range []string{"", "given-secret"} {
		env := Environment{Stdout: &out, Getenv: func(string) string { return given }}
		f := &sandboxFlags{admin: "127.0.0.1:0"}
		server, err := workspace.Serve(sandbox.DefaultConfig(), "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		admin, err := f.serveAdmin(server, env)
		if err != nil {
			t.Fatal(err)
		}
		out.Reset()
		announce(env, server, admin)
		said := out.String()
		if strings.Contains(said, "given-secret") || strings.Contains(said, "TOKEN") != (given == "") || strings.Contains(said, "KEY") != (given == "") {
			t.Errorf("with %q it says\n%s", given, said)
		}
		if err := errors.Join(admin.close(), server.Close()); err != nil {
			t.Error(err)
		}
	}
}
