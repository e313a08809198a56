package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/submit"
)

// These errors report missing settings that the gateway needs to send messages.
var (
	errNoSender = errors.New("it needs a sender: set mail.from in the configuration")
	errNoWay    = errors.New("it needs a way to send: set mail.relay or mail.sendmail in the configuration")
)

// mail returns the settings for sending mail, or nil if the configuration does not enable
// mail.
func (s *settings) mail(opener *access.Client) (*gateway.Mail, error) {
	a := s.app
	if !s.config.Mail || s.museum != nil {
		return nil, nil
	}
	m := &gateway.Mail{From: a.Config.Mail.From.Mailbox, PerHour: s.config.Letters}
	switch {
	case m.From.Address == "":
		return nil, fmt.Errorf("gateway.mail: %w", errNoSender)
	case a.Config.Mail.Relay.Host != "":
		relay := a.Config.Mail.Relay.Relay
		m.Relay = relay.String()
		// The user wrote the relay in the configuration, so the relay has the same origin as a
		// typed URL.
		var err error
		if s.relays, err = newClient(opener.Registry(), client.Rules(a), s.accessOptions()); err != nil {
			return nil, err
		}
		m.Send = submit.NewSMTP(relay, s.relays.Dialer(), &submit.SMTPOptions{Ask: client.NewLogin(a).AskRelay, Clear: a.Config.Mail.Clear, Wait: a.Flags.Timeout}).Submit
	case len(a.Config.Mail.Sendmail) > 0:
		program, err := submit.NewSendmail(a.Config.Mail.Sendmail)
		if err != nil {
			return nil, err
		}
		m.Relay = strings.Join(a.Config.Mail.Sendmail, " ")
		m.Send = func(ctx context.Context, m *submit.Message) (string, error) { return "", program.Submit(ctx, m) }
	default:
		return nil, fmt.Errorf("gateway.mail: %w", errNoWay)
	}
	return m, nil
}
