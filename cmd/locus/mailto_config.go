package main

import (
	"errors"
	"strings"

	"github.com/locus-url/locus/submit"
)

// sender is who messages are from; its zero value is nobody.
type sender struct{ submit.Mailbox }

// UnmarshalText reads one mailbox, with a name or without.
func (s *sender) UnmarshalText(text []byte) error {
	s.Mailbox = submit.Mailbox{}
	if len(text) == 0 {
		return nil
	}
	list, err := submit.ParseMailboxes(string(text))
	if err == nil && len(list) != 1 {
		err = errors.New("a message is from one person")
	}
	if err != nil {
		return err
	}
	s.Mailbox = list[0]
	return nil
}

// relay is the server that sends messages; its zero value is none.
type relay struct{ submit.Relay }

// UnmarshalText reads a relay as [submit.ParseRelay] does.
func (r *relay) UnmarshalText(text []byte) (err error) {
	r.Relay = submit.Relay{}
	if len(text) > 0 {
		r.Relay, err = submit.ParseRelay(string(text))
	}
	return err
}

// words are a program and its arguments.
type words []string

// UnmarshalText reads words with blanks between them. No shell does.
func (w *words) UnmarshalText(text []byte) error {
	*w = strings.Fields(string(text))
	return nil
}

// UnmarshalTOML takes a text, or a list of them, in which there may be blanks.
func (w *words) UnmarshalTOML(value any) error {
	if text, ok := value.(string); ok {
		return w.UnmarshalText([]byte(text))
	}
	return (*paths)(w).UnmarshalTOML(value)
}
