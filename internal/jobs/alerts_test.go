package jobs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withAlert is a jobs file with one channel of alerts.
func withAlert(keys string) string {
	return "jobs:\n  n:\n    list: a.csv\n    output: o.csv\n    max-spend: 1\nalerts:\n  ops:\n" + keys
}

func TestAlertsAreReadWithTheirTypes(t *testing.T) {
	t.Parallel()
	file, problems := readText(t, withAlert("    type: slack\n    url: ${SLACK_TOKEN_URL}\n  mail:\n    type: email\n    host: mail\n"+
		"    from: a@example.com\n    to: [b@example.com, c@example.com]\n    timeout: 3s\n  run:\n    type: command\n    command: cat\n"))
	if problems != "" {
		t.Fatal(problems)
	}
	var got []string
	for _, alert := range file.Alerts {
		if alert.Channel == nil {
			t.Errorf("%s has no channel", alert.Name)
		}
		got = append(got, alert.Name+" "+alert.Type)
	}
	if diff := cmp.Diff([]string{"ops slack", "mail email", "run command"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryErrorOfAnAlertHasItsLineAndColumn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ keys, want string }{
		"no type": {"    timeout: 3s\n", "jobs.yaml:7:3: the alert has no type: give type, such as email"},
		"empty":   {"", "jobs.yaml:7:3: the alert has no type: give type, such as email"},
		"a secret in the file": {
			"    type: slack\n    url: https://example.com/hidden\n",
			"jobs.yaml:9:10: url: secrets do not belong in the file: write the name of a variable of the environment, such as ${ALERT_SECRET}",
		},
		"a secret in another key": {
			"    type: command\n    command: post ${SLACK_TOKEN_URL}\n",
			"jobs.yaml:9:14: command: ${SLACK_TOKEN_URL} looks like a secret, which does not belong in a configuration; keep it elsewhere",
		},
		"variable not set": {"    type: ping\n    url: ${NONE}\n", "jobs.yaml:9:10: url: the variable NONE of the environment is not set"},
		"missing key":      {"    type: teams\n", "jobs.yaml:7:3: url: a channel of the type teams needs an address that begins with https:// or http://"},
		"wrong value": {
			"    type: ping\n    url: ${WHERE}\n", "jobs.yaml:9:10: url: a channel of the type ping needs an address that begins with https:// or http://",
		},
		"key of another type": {
			"    type: slack\n    url: ${SLACK_TOKEN_URL}\n    host: mail\n",
			"jobs.yaml:10:5: host: an alert of the type slack does not use it; it has the keys url",
		},
		"unknown key": {"    type: slack\n    adress: x\n", "jobs.yaml:9:5: unknown key \"adress\"; see batch jobs schema for the keys of an alert"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := readText(t, withAlert(test.keys))
			if diff := cmp.Diff(test.want, problems); diff != "" {
				t.Error(diff)
			}
		})
	}
}
