package jobs

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// withAlert is a jobs file with one channel of alerts.
func withAlert(keys string) string {
	return "jobs:\n  n:\n    list: a.csv\n    output: o.csv\n    max-spend: 1\nalerts:\n  ops:\n" + keys
}

func TestAlertsAreReadWithTheirTypes(t *testing.T) {
	t.Parallel()
	file, problems := readText(t, withAlert("    type: slack\n    url: ${SLACK_TOKEN_URL}\n  mail:\n    type: email\n    host: mail\n"+
		"    from: a@example.com\n    to: [b@example.com, c@example.com]\n    timeout: 3s\n    on: [failure, success]\n    report: week\n"+
		"  run:\n    type: command\n    command: cat\n    on: []\n  alive:\n    type: ping\n    url: ${SLACK_TOKEN_URL}\n"))
	if problems != "" {
		t.Fatal(problems)
	}
	var got []string
	for _, alert := range file.Alerts {
		if alert.Channel == nil {
			t.Errorf("%s has no channel", alert.Name)
		}
		got = append(got, fmt.Sprint(alert.Name, " ", alert.Type, " ", alert.Kinds, alert.Report))
	}
	const most = "failure ceiling doubt approval drift price match_rate missed skipped no_run"
	want := []string{"ops slack [" + most + "]", "mail email [failure success]week", "run command []", "alive ping [" + most + " success]"}
	if diff := cmp.Diff(want, got); diff != "" {
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
		"a report to a ping": {
			"    type: ping\n    url: ${SLACK_TOKEN_URL}\n    report: month\n",
			"jobs.yaml:10:13: report: a ping has no text; choose another type of channel for the report",
		},
		"unknown kind": {
			"    type: command\n    command: cat\n    on: [failure, fire]\n",
			`jobs.yaml:10:9: on: "fire": write failure, ceiling, doubt, approval, drift, price, match_rate, missed, skipped, no_run, success`,
		},
		"long timeout": {"    type: command\n    command: cat\n    timeout: 2m\n", "jobs.yaml:10:14: timeout: 2m0s is too long: choose up to 1m0s"},
		"unknown key":  {"    type: slack\n    adress: x\n", "jobs.yaml:9:5: unknown key \"adress\"; see batch jobs schema for the keys of an alert"},
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

func TestAJobChoosesItsChannels(t *testing.T) {
	t.Parallel()
	channels := "alerts:\n  ops:\n    type: command\n    command: cat\n  mail:\n    type: command\n    command: cat\n"
	job := "    list: a.csv\n    output: o.csv\n    max-spend: 1\n"
	for keys, want := range map[string]string{"": "ops mail ", "    alerts: [mail]\n": "mail ", "    alerts: ops\n": "ops ", "    alerts: [mail, ops]\n": "ops mail ", "    alerts: []\n": ""} {
		file, problems := readText(t, channels+"jobs:\n  n:\n"+job+keys+"    no-run-after: 2d\n")
		if problems != "" {
			t.Fatal(problems)
		}
		got := ""
		for _, receiver := range file.Jobs[0].Receivers() {
			got += receiver.Channel + " "
		}
		if got != want || file.Jobs[0].NoRunAfter != 48*time.Hour {
			t.Errorf("%q: told are %q, want %q; silence after %s", keys, got, want, file.Jobs[0].NoRunAfter)
		}
	}
	_, problems := readText(t, "jobs:\n  n:\n"+job+"    alerts: [ops, ops2]\n"+channels)
	if want := `jobs.yaml:6:13: alerts: "ops2" is not a channel under the key alerts of the file`; problems != want {
		t.Errorf("%s, want %s", problems, want)
	}
}
