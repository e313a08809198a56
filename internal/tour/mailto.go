package tour

import (
	"strings"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/submit"
)

// describeMessage composes a message to the address of a mailto URL. The stop's answers are the
// sender, the subject and the text.
func describeMessage(s Stop) (Found, error) {
	addrSpec, err := escape.Decode(s.URL.SchemePart())
	if err != nil {
		return Found{}, err
	}
	draft := submit.Draft{To: []submit.Mailbox{{Address: addrSpec}}}
	for i, to := range []*string{&draft.From.Address, &draft.Subject, &draft.Body} {
		if i < len(s.Answers) {
			*to = s.Answers[i]
		}
	}
	m, err := submit.Compose(draft)
	if err != nil {
		return Found{}, err
	}
	text, err := m.Preview()
	if err != nil {
		return Found{}, err
	}
	return Found{Summary: "a message, as it would be sent:", Lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}, nil
}
