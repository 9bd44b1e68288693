package jobs

import (
	"crypto/rand"
	"fmt"

	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/io/notify"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// exitUndelivered is the exit code of a test whose message a channel did not accept.
const exitUndelivered = 4

func newTestAlertCommand(env Environment) *cobra.Command {
	var path string
	kind := configs.ChoiceFlag{Value: string(notify.Test)}
	for _, one := range notify.Kinds() {
		kind.Choices = append(kind.Choices, string(one))
	}
	cmd := &cobra.Command{
		Use:   "test-alert [NAME]",
		Short: "Send a test message to the channels of alerts",
		Long: "Send a test message to one channel of alerts in the jobs file, or to all of them, once. A channel has\n" +
			"accepted the message when the line says so. With --kind the message looks like one of that kind: a\n" +
			"ping then says that a job started, succeeded or failed." + env.Codes.Alert,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := env.read(path)
			if err != nil {
				return err
			}
			chosen, err := env.alerts(file, args)
			if err != nil {
				return err
			}
			exit := 0
			for _, alert := range chosen {
				result := "accepted"
				if err := alert.Channel.Send(cmd.Context(), env.testMessage(notify.Kind(kind.Value))); err != nil {
					if cmd.Context().Err() != nil {
						return cmd.Context().Err()
					}
					result, exit = "not accepted: "+report.Printable(err.Error()), exitUndelivered
				}
				if _, err := fmt.Fprintf(env.Stdout, "%s (%s): %s\n", alert.Name, alert.Type, result); err != nil {
					return err
				}
			}
			return env.EndWith(exit)
		},
	}
	addFileFlag(cmd, &path)
	cmd.Flags().Var(&kind, "kind", "what the message looks like: the `KIND` of an alert, such as failure")
	return cmd
}

// alerts returns the channels of a file, or the one that is named.
func (env Environment) alerts(file *File, args []string) ([]AlertChannel, error) {
	if len(file.Alerts) == 0 {
		return nil, problem.Usagef("%s has no alerts; add a channel under the key alerts", file.Path)
	}
	if len(args) == 0 {
		return file.Alerts, nil
	}
	var names []string
	for _, alert := range file.Alerts {
		if alert.Name == args[0] {
			return []AlertChannel{alert}, nil
		}
		names = append(names, alert.Name)
	}
	return nil, problem.Usagef("there is no alert %q in %s%s", args[0], file.Path, env.Reader.Target.Suggest(args[0], names))
}

// testMessage returns a new message of a kind.
func (env Environment) testMessage(kind notify.Kind) notify.Message {
	return notify.Message{
		ID: "test-" + rand.Text(), Job: "test", Kind: kind, Severity: notify.SeverityOf(kind), At: env.Now().UTC(),
		Text: "This is a test of batch jobs test-alert. Nothing happened.",
	}
}
