package lineconn

import (
	"fmt"
	"net/textproto"

	"github.com/locus-url/locus"
)

// ReplyCode returns the three-digit code at the beginning of a reply. If there is no code from 100
// to 599, ok is false.
func ReplyCode[T string | []byte](text T) (code int, ok bool) {
	if len(text) < 3 || text[0] < '1' || text[0] > '5' {
		return 0, false
	}
	for i := range 3 {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		code = code*10 + int(text[i]-'0')
	}
	return code, true
}

// ReplyError is a reply that reports a failure. It wraps a [*textproto.Error] and the error in the
// field Kind, such as [scheme.ErrNotFound].
type ReplyError struct {
	Command string // the command as sent, with "***" for a password
	Code    int
	Text    string
	Kind    error
}

func (e *ReplyError) Error() string {
	text := locus.Quote(e.Text) // Quote escapes unsafe characters and shortens the text
	return fmt.Sprintf("%s: %v: %d %s", locus.Quote(e.Command), e.Kind, e.Code, text[1:len(text)-1])
}

// Unwrap returns e.Kind and the reply as a [*textproto.Error].
func (e *ReplyError) Unwrap() []error {
	return []error{e.Kind, &textproto.Error{Code: e.Code, Msg: e.Text}}
}
