package notify

import (
	"errors"
	"net/mail"
	"net/url"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Settings say where and how a channel sends.
type Settings struct {
	Type    string
	Timeout time.Duration
	// URL is the address of a webhook, chat or ping. It may be a secret itself.
	URL string
	// Secret signs webhooks; base64, with or without the prefix whsec_.
	Secret  string
	Command CommandLine // gets the message as JSON on its standard input
	// The settings of emails.
	Host, User, Password string
	Port                 int
	TLS                  string
	From                 string
	To                   []string
}

// The types of channels.
const (
	Webhook = "webhook"
	Slack   = "slack"
	Teams   = "teams"
	Email   = "email"
	Ping    = "ping"
	Command = "command"
)

// The ways to protect the connection to a mail server.
const (
	StartTLS    = "starttls"
	ImplicitTLS = "implicit"
	NoTLS       = "none"
)

// SettingError says that a setting of a channel is wrong or missing.
type SettingError struct {
	Setting string // its key
	Err     error
}

func (e *SettingError) Error() string { return e.Setting + ": " + e.Err.Error() }
func (e *SettingError) Unwrap() error { return e.Err }

// wrong returns an error about a setting.
func wrong(setting, text string) error { return &SettingError{setting, errors.New(text)} }

// NewChannel returns the channel of settings. Its error does not show their values.
func NewChannel(s Settings) (Channel, error) {
	channel, err := untimed(s)
	if err == nil && s.Timeout <= 0 {
		err = wrong("timeout", "choose a time above 0")
	}
	if err != nil {
		return nil, err
	}
	return timed{channel, s.Timeout}, nil
}

func untimed(s Settings) (Channel, error) {
	if s.Type == Command {
		if s.Command.Line == "" && len(s.Command.Words) == 0 {
			return nil, wrong("command", "it is missing: a channel of the type command needs it")
		}
		return command(s.Command), nil
	}
	if s.Type == Email {
		return newEmail(s)
	}
	address, err := url.Parse(s.URL)
	if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Host == "" {
		return nil, wrong("url", "a channel of the type "+s.Type+" needs an address that begins with https:// or http://")
	}
	poster := newPoster(s.URL)
	switch s.Type {
	case Slack:
		return slack{poster}, nil
	case Teams:
		return teams{poster}, nil
	case Ping:
		address.RawQuery, address.Fragment = "", ""
		return ping{newPoster(strings.TrimSuffix(address.String(), "/"))}, nil
	case Webhook:
		signer, err := standardwebhooks.NewWebhook(s.Secret)
		if err != nil || s.Secret == "" || s.Secret == "whsec_" {
			return nil, wrong("secret", "a webhook needs the secret that signs it, in base64, such as whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
		}
		return webhook{poster, signer}, nil
	}
	return nil, wrong("type", "write webhook, slack, teams, email, ping or command")
}

// newEmail returns a channel that sends emails.
func newEmail(s Settings) (Channel, error) {
	switch {
	case s.Host == "":
		return nil, wrong("host", "it is missing: emails need the name of a mail server")
	case s.From == "":
		return nil, wrong("from", "it is missing: emails need an address of the sender")
	case len(s.To) == 0:
		return nil, wrong("to", "it is missing: emails need addresses of receivers")
	case (s.User == "") != (s.Password == ""):
		return nil, wrong("user", "give both user and password, or neither")
	case s.Port < 0 || s.Port > 65535:
		return nil, wrong("port", "choose 1 to 65535")
	}
	if _, err := mail.ParseAddress(s.From); err != nil {
		return nil, wrong("from", "write an address of email")
	}
	for _, to := range s.To {
		if _, err := mail.ParseAddress(to); err != nil {
			return nil, wrong("to", "write addresses of email")
		}
	}
	return email{s}, nil
}
