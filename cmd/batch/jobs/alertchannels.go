package jobs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"payonce/configs"
	"payonce/io/notify"
)

// AlertChannel is a channel of alerts with its name.
type AlertChannel struct {
	Name    string
	Type    string
	Channel notify.Channel
	Kinds   []notify.Kind // of messages that it gets
	Report  string        // eachWeek or eachMonth: how often it gets the report on the month; "" for never
}

// alertSecrets are the keys of a channel that are secrets. The address of a chat or a ping lets everybody send who
// knows it.
func alertSecrets() []string { return []string{"url", "secret", "password"} }

// defaultAlertTimeout is how long a channel may take for a message.
const defaultAlertTimeout = 10 * time.Second

// channel are the values of a channel.
type channel struct {
	settings notify.Settings
	kind     configs.ChoiceFlag
	report   configs.ChoiceFlag
	tls      configs.ChoiceFlag
	port     configs.CountFlag
	on       words
	command  commandFlag
}

// flags returns the flags of the values.
func (c *channel) flags() *pflag.FlagSet {
	c.kind.Choices = []string{notify.Webhook, notify.Slack, notify.Teams, notify.Email, notify.Ping, notify.Command}
	c.tls = configs.ChoiceFlag{Value: notify.StartTLS, Choices: []string{notify.StartTLS, notify.ImplicitTLS, notify.NoTLS}}
	for _, kind := range notify.Alerts() {
		c.on.choices = append(c.on.choices, string(kind))
	}
	c.report.Choices = []string{eachWeek, eachMonth}
	s := &c.settings
	flags := pflag.NewFlagSet("alert", pflag.ContinueOnError)
	flags.Var(&c.kind, "type", "what kind of channel it is")
	flags.Var(&c.on, "on", "the kinds of alerts that the channel gets (default all but success; a ping gets all)")
	flags.Var(&c.report, "report", "send the report on the month to the channel after each week or after each month (UTC), once for the workspace; by email as a page")
	flags.DurationVar(&s.Timeout, "timeout", defaultAlertTimeout, "how long the channel may take for a message")
	flags.StringVar(&s.URL, "url", "", "the `ADDRESS` of a webhook, a chat or a ping")
	flags.StringVar(&s.Secret, "secret", "", "the `SECRET` that signs webhooks, in base64")
	flags.Var(&c.command, "command", "the `COMMAND` that gets the message as JSON on its standard input: a line for the shell, or a list of a program and its arguments")
	flags.StringVar(&s.Host, "host", "", "the `NAME` of the mail server")
	flags.Var(&c.port, "port", "the port of the mail server (default 587, with implicit TLS 465, without TLS 25)")
	flags.Var(&c.tls, "tls", "how the connection to the mail server is protected")
	flags.StringVar(&s.User, "user", "", "the `NAME` of the user at the mail server")
	flags.StringVar(&s.Password, "password", "", "the `PASSWORD` of the user")
	flags.StringVar(&s.From, "from", "", "the `ADDRESS` that emails come from")
	flags.StringArrayVar(&s.To, "to", nil, "the `ADDRESSES` that emails go to")
	return flags
}

// alertKeys returns the keys of each type of channel besides type, on and timeout.
func alertKeys() map[string][]string {
	return map[string][]string{
		notify.Webhook: {"url", "secret"}, notify.Slack: {"url"}, notify.Teams: {"url"}, notify.Ping: {"url"}, notify.Command: {"command"},
		notify.Email: {"host", "port", "tls", "user", "password", "from", "to"},
	}
}

// alert reads one channel; none when something is wrong with it.
func (r FileReader) alert(entry configs.Entry) []AlertChannel {
	if !nameForm.MatchString(entry.Name) {
		entry.Problem(fmt.Errorf("%.60q is not a valid name of an alert: use up to 50 letters, digits, dashes and underscores", entry.Name))
	}
	c := &channel{}
	mapping := entry.Mapping()
	t := r.Target
	t.Flags, t.Variables, t.Secrets, t.Refuse = c.flags(), nil, alertSecrets(), refuseSecret
	t.Known = "see batch jobs schema for the keys of an alert"
	var made notify.Channel
	t.Check = func() []configs.FlagProblem { // after Set
		for _, one := range mapping.Entries() {
			if flag := t.Flags.Lookup(one.Name); flag == nil || !flag.Changed {
				return nil // a problem of Set
			}
		}
		if !t.Flags.Lookup("type").Changed {
			entry.Problem(errors.New("the alert has no type: give type, such as email"))
			return nil
		}
		for _, one := range mapping.Entries() {
			if known := alertKeys()[c.kind.Value]; c.kind.Value != "" && !slices.Contains(append(known, "type", "on", "timeout", "report"), one.Name) {
				one.Problem(fmt.Errorf("%s: an alert of the type %s does not use it; it has the keys %s", one.Name, c.kind.Value, strings.Join(known, ", ")))
			}
		}
		if c.kind.Value == notify.Ping && c.report.Value != "" {
			return []configs.FlagProblem{{Flag: "report", Text: "a ping has no text; choose another type of channel for the report"}}
		}
		if c.settings.Timeout > maxTimeout {
			return []configs.FlagProblem{{Flag: "timeout", Text: fmt.Sprintf("%s is too long: choose up to %s", c.settings.Timeout, maxTimeout)}}
		}
		c.settings.Command = notify.CommandLine{Line: c.command.line, Words: c.command.words, Dir: dirOf(r.path)}
		c.settings.Type, c.settings.TLS, c.settings.Port = c.kind.Value, c.tls.Value, int(c.port.OrZero())
		var err error
		made, err = notify.NewChannel(c.settings)
		wrong, ok := errors.AsType[*notify.SettingError](err)
		switch {
		case !ok:
			return nil
		case mapping.Has(wrong.Setting):
			return []configs.FlagProblem{{Flag: wrong.Setting, Text: wrong.Err.Error()}}
		}
		entry.Problem(wrong)
		return nil
	}
	mapping.Set(t)
	mapping.Check(t)
	if made == nil {
		return nil
	}
	return []AlertChannel{{entry.Name, c.kind.Value, made, c.kinds(), c.report.Value}}
}

// kinds returns the kinds of messages that the channel gets. A ping tells a service that expects to hear of every
// run.
func (c *channel) kinds() (kinds []notify.Kind) {
	for _, kind := range notify.Alerts() {
		asked := kind != notify.Success || c.kind.Value == notify.Ping
		if c.on.given {
			asked = slices.Contains(c.on.list, string(kind))
		}
		if asked {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// maxTimeout is the longest time that a channel may take for a message: the next start of the job waits for it.
const maxTimeout = time.Minute

// alertSchema returns the schema of a channel.
func alertSchema() map[string]any {
	schema := configs.FlagSchema(configs.Section{}, (&channel{}).flags())
	delete(schema, "$schema")
	schema["title"] = "A channel of alerts"
	schema["description"] = "Each type of channel has keys of its own. Secrets are variables of the environment."
	schema["required"] = []string{"type"}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range alertSecrets() {
		properties[name] = configs.SecretSchema()
	}
	return schema
}
