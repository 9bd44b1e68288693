package notify

import (
	"context"

	"github.com/wneessen/go-mail"
)

// email sends messages by email.
type email struct{ settings Settings }

func (e email) Send(ctx context.Context, m Message) error {
	s := e.settings
	letter := mail.NewMsg()
	if err := letter.From(s.From); err != nil {
		return err
	}
	if err := letter.To(s.To...); err != nil {
		return err
	}
	letter.Subject(m.title())
	letter.SetDateWithValue(m.At)
	letter.SetMessageIDWithValue(m.ID + "@payonce.invalid")
	letter.SetGenHeader("Auto-Submitted", "auto-generated") // no automatic answer is wanted
	letter.SetBodyString(mail.TypeTextPlain, m.body()+"\n\n"+m.ID+"\n")
	if m.Page != "" {
		letter.AddAlternativeString(mail.TypeTextHTML, m.Page)
	}
	options := []mail.Option{mail.WithTimeout(s.Timeout)}
	switch s.TLS {
	case NoTLS:
		options = append(options, mail.WithTLSPortPolicy(mail.NoTLS))
	case ImplicitTLS:
		options = append(options, mail.WithSSLPort(false))
	default:
		options = append(options, mail.WithTLSPortPolicy(mail.TLSMandatory))
	}
	if s.Port > 0 {
		options = append(options, mail.WithPort(s.Port))
	}
	if s.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthPlain), mail.WithUsername(s.User), mail.WithPassword(s.Password))
	}
	client, err := mail.NewClient(s.Host, options...)
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, letter)
}
