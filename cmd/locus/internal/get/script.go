package get

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/session"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/tn3270"
)

// script is the list of steps for a session.
type script struct {
	steps  []step
	settle time.Duration // value of --settle
}

// step is text to send, a key to press, or a pattern to wait for.
type step struct {
	send   string
	press  tn3270.Key
	expect *regexp.Regexp
	kind   stepKind
}

type stepKind uint8

const (
	stepSend stepKind = iota
	stepPress
	stepExpect
)

// run runs the steps, and then waits until the host is silent.
func (s *script) run(d session.Driver) error {
	for _, st := range s.steps {
		var err error
		switch st.kind {
		case stepSend:
			err = d.Send(st.send)
		case stepExpect:
			err = d.Expect(st.expect)
		case stepPress:
			// Only a 3270 screen supports named keys.
			if screen, ok := d.(*session.Screen); ok {
				err = screen.Press(st.press)
			}
		}
		if err != nil {
			return err
		}
	}
	return d.Settle(s.settle)
}

func (s *script) addFlags(f *pflag.FlagSet) {
	f.Var(stepFlag{s, stepSend}, "send", "type `TEXT`, in which \\r is Enter; steps run in order")
	f.Var(stepFlag{s, stepExpect}, "expect", "wait until new output matches `REGEXP`")
	f.Var(stepFlag{s, stepPress}, "press", "tn3270: press `KEY`, such as Enter, PF3 or Tab")
	base.DurationVar(f, &s.settle, "settle", 2*time.Second, "end a session without output for `D` after the last step")
}

func (s *script) settleFlags(a *base.App, args []string) error {
	if s.settle <= 0 {
		return fmt.Errorf("--settle must be a duration such as 500ms, not %v", s.settle)
	}
	if len(s.steps) > 0 && !show.HasTrait(a, args, scheme.Interactive) {
		return errors.New("--send, --expect and --press need the URL of a session")
	}
	for _, st := range s.steps {
		if st.kind == stepPress && !show.HasScreen(args) {
			return errors.New("--press needs a tn3270 URL; for telnet and rlogin use --send, such as \\x1b")
		}
	}
	return nil
}

// stepFlag is a flag that adds a step.
type stepFlag struct {
	script *script
	kind   stepKind
}

var _ pflag.Value = stepFlag{}

// Set adds the step to the script.
func (f stepFlag) Set(text string) error {
	st := step{kind: f.kind}
	var err error
	switch f.kind {
	case stepSend:
		st.send, err = unescape(text)
	case stepExpect:
		st.expect, err = regexp.Compile(text)
	case stepPress:
		var ok bool
		if st.press, ok = tn3270.ParseKey(text); !ok {
			err = fmt.Errorf("unknown key %s: use Enter, Clear, Tab, PF1 to PF24, PA1 to PA3", locus.Quote(text))
		}
	}
	if err == nil {
		f.script.steps = append(f.script.steps, st)
	}
	return err
}

func (f stepFlag) String() string { return "" }

func (f stepFlag) Type() string { return "string" }

// unescape decodes the escapes \r, \n, \t, \e, \\ and \xHH.
func unescape(text string) (string, error) {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, `\`)
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		if after == "" {
			return "", errors.New(`a single \ at the end: write \\`)
		}
		size := 1
		switch after[0] {
		case 'r':
			b.WriteByte('\r')
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'e':
			b.WriteByte(0x1B)
		case '\\':
			b.WriteByte('\\')
		case 'x':
			size = min(3, len(after))
			o, err := strconv.ParseUint(after[1:size], 16, 8)
			if err != nil || size < 3 {
				return "", errors.New(`\x needs two hexadecimal digits, as in \x1b`)
			}
			b.WriteByte(byte(o))
		default:
			return "", errors.New(`\ must be followed by r, n, t, e, x and two digits, or \`)
		}
		text = after[size:]
	}
}
