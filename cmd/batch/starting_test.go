package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestTheRecordedCommandLineHasNoAddressAndNoPerson(t *testing.T) {
	t.Parallel()
	private := []string{
		"base-url", "base-url-v2", "mcp-url", "request-name", "profile-url", "first-name", "last-name", "company-domain", "company-name", "email",
		"phone", "webhook", "a-flag-of-a-later-version",
	}
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	for _, name := range append([]string{"name"}, private...) {
		flags.String(name, "", "")
	}
	given := []string{"--name=a b"}
	for _, name := range private {
		given = append(given, "--"+name+"=secret")
	}
	if err := flags.Parse(given); err != nil {
		t.Fatal(err)
	}
	if line := startCommandLine("batch run", []string{"list.csv"}, flags); strings.Contains(line, "secret") || line != `batch run list.csv '--name=a b'` {
		t.Error(line)
	}
}

// TestAWordThatMayHoldASecretIsHidden: also an argument, and the value of a flag that names a thing.
func TestAWordThatMayHoldASecretIsHidden(t *testing.T) {
	t.Parallel()
	line := func(word string) string {
		flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
		flags.String("output", "", "")
		if err := flags.Set("output", word); err != nil {
			t.Fatal(err)
		}
		return startCommandLine("batch run", []string{word}, flags)
	}
	for _, word := range secretWords("s3cret") {
		if got := line(word); got != `batch run '[not recorded]' '--output=[not recorded]'` {
			t.Errorf("%s: %s", word, got)
		}
	}
	for _, word := range []string{
		"list.csv", "/home/ann/key contacts.xlsx", "first_name=First name", "email=Key", "companies=500", "tokens.csv", "a=b@c", "12:30", "password.csv",
	} {
		if got := line(word); strings.Contains(got, hidden) {
			t.Errorf("%s: %s", word, got)
		}
	}
}

// secretWords are words that hold a secret.
func secretWords(secret string) []string {
	return []string{
		"https://user:" + secret + "@api.example", "https://api.example/v2?key=" + secret, "postgres://batch:" + secret + "@db.example/lists",
		"host=db.example user=batch password=" + secret, "host=db sslpassword = '" + secret + "'", "https://hooks.example/T0/" + secret, "user:" + secret + "@db.example/lists",
		"Authorization: Bearer " + secret, "X-Api-Key: " + secret, "bearer " + secret, `{"token": "` + secret + `"}`, "api_key=" + secret,
	}
}

// A command that ends before its workspace is known is not recorded.
func TestEndingAStartThatWasNotRecordedDoesNothing(t *testing.T) {
	t.Parallel()
	new(startingRecord).End(2, "usage")
	(*startingRecord)(nil).End(2, "usage")
	(*startingRecord)(nil).Ran(nil)
}
