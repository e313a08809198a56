package gopher

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/locus-url/locus/scheme"
)

func failureOf(text string) *ReplyError {
	var e *ReplyError
	errors.As(readFailure(strings.NewReader(text)), &e)
	return e
}

func TestReadFailure(t *testing.T) {
	moved := &menuLine{Type: '1', Name: "New place", Selector: "s", Host: "h", Port: 70}
	for _, c := range []struct {
		text string
		want ReplyError
		says string
		is   error
	}{
		// These are errors of UMN gopherd.
		{"1 Test Admin <admin@example.org>\r\n'/nope' does not exist!!\r\n",
			ReplyError{Code: 1, Admin: "Test Admin <admin@example.org>", Message: "'/nope' does not exist!!"},
			`not found: the server says "'/nope' does not exist!!"; contact "Test Admin <admin@example.org>"`, scheme.ErrNotFound},
		{"2 <admin@example.org>\nToo busy\n\ncome again\n",
			ReplyError{Code: 2, Admin: "<admin@example.org>", Message: "Too busy\ncome again"},
			`unavailable now: try later: the server says "Too busy\ncome again"; contact "<admin@example.org>"`, scheme.ErrUnreachable},
		{"3 A <a@b>\r\n1New place\ts\th\t70\r\n",
			ReplyError{Code: 3, Admin: "A <a@b>", moved: moved},
			`moved to "New place"; contact "A <a@b>"`, scheme.ErrNotFound},
		{"3 1New place\ts\th\t70\r\nIt moved.\r\n",
			ReplyError{Code: 3, Message: "It moved.", moved: moved},
			`moved to "New place": the server says "It moved."`, scheme.ErrNotFound},
		{"3 A <a@b>\n+INFO: 1New place\ts\th\t70\n",
			ReplyError{Code: 3, Admin: "A <a@b>", moved: moved},
			`moved to "New place"; contact "A <a@b>"`, scheme.ErrNotFound},
		{"3 1New place\ts\th\t70", ReplyError{Code: 3, moved: moved}, `moved to "New place"`, scheme.ErrNotFound},
		{"3 A <a@b>\nelsewhere\n1New place\ts\th\t70\n",
			ReplyError{Code: 3, Admin: "A <a@b>", Message: "elsewhere\n1New place\ts\th\t70"},
			`moved: the server says "elsewhere\n1New place\ts\th\t70"; contact "A <a@b>"`, scheme.ErrNotFound},
		{"3 1New place\ts\th\t0\n",
			ReplyError{Code: 3, Message: "1New place\ts\th\t0"},
			`moved: the server says "1New place\ts\th\t0"`, scheme.ErrNotFound},
		{"1", ReplyError{Code: 1}, "not found, without a reason from the server", scheme.ErrNotFound},
		{"1 Not available\r\n", ReplyError{Code: 1, Message: "Not available"}, `not found: the server says "Not available"`, scheme.ErrNotFound},
		{"", ReplyError{}, "not found, without a reason from the server", scheme.ErrNotFound},
		{"\r\n\r\n", ReplyError{}, "not found, without a reason from the server", scheme.ErrNotFound},
		{"7 A <a@b>\nno such code\n", ReplyError{Message: "7 A <a@b>\nno such code"}, `not found: the server says "7 A <a@b>\nno such code"`, scheme.ErrNotFound},
		{"12 monkeys", ReplyError{Message: "12 monkeys"}, `not found: the server says "12 monkeys"`, scheme.ErrNotFound},
		{"No code", ReplyError{Message: "No code"}, `not found: the server says "No code"`, scheme.ErrNotFound},
		{"1 a\x1b[2J", ReplyError{Code: 1, Message: "a\x1b[2J"}, `not found: the server says "a\x1b[2J"`, scheme.ErrNotFound},
	} {
		e := failureOf(c.text)
		if e == nil {
			t.Errorf("%q: no error", c.text)
			continue
		}
		got, want := *e, c.want
		if got.moved != nil && want.moved != nil && *got.moved == *want.moved {
			got.moved, want.moved = nil, nil
		}
		if got != want || e.Error() != c.says || !errors.Is(e, c.is) {
			t.Errorf("%q: %+v, %v", c.text, got, e)
		}
	}
	if !errors.Is(&ReplyError{Code: CodeNotAvailable}, fs.ErrNotExist) || errors.Is(&ReplyError{Code: CodeTryLater}, scheme.ErrNotFound) {
		t.Error("another kind of error")
	}
}

func TestReadFailureBounds(t *testing.T) {
	e := failureOf("1 " + strings.Repeat("no ", 1<<20))
	if len(e.Message) > maxFailure || len(e.Error()) > 500 {
		t.Errorf("%d octets, as text %d", len(e.Message), len(e.Error()))
	}
	broken := errors.New("broken")
	if err := readFailure(iotest.ErrReader(broken)); err != broken {
		t.Error(err)
	}
	err := readFailure(io.MultiReader(strings.NewReader("1 <a@b>\nGone"), iotest.ErrReader(broken)))
	if e := new(ReplyError); !errors.As(err, &e) || e.Message != "Gone" {
		t.Error(err)
	}
}

// TestCapturedFailures checks the errors of real servers, in the two captured formats and in a
// third format.
func TestCapturedFailures(t *testing.T) {
	seen := 0
	for _, c := range captures(t) {
		h, r := c.header()
		if !h.Failed {
			continue
		}
		seen++
		var e *ReplyError
		if err := readFailure(h.Body(r, true)); !errors.As(err, &e) || e.Code != CodeNotAvailable || e.Message == "" || !strings.Contains(e.Admin, "@") {
			t.Errorf("%s: %+v", c.name, e)
		}
		body := string(c.body(true))
		h.Length = int64(len(body))
		var same *ReplyError
		if err := readFailure(h.Body(strings.NewReader(body+"more"), true)); !errors.As(err, &same) || *same != *e {
			t.Errorf("%s: as counted octets: %+v", c.name, same)
		}
	}
	if seen < 5 {
		t.Errorf("%d failures", seen)
	}
}

func TestPlainError(t *testing.T) {
	for _, c := range []struct{ reply, message string }{
		{"3'/nope' does not exist (no handler found)\t\terror.host\t1\r\n", "'/nope' does not exist (no handler found)"},
		{"3Gone\t\terror.host\t1", "Gone"},
		{"3Gone\t\t\t\n.\n", "Gone"},
		{"0'/nope' does not exist!!\t\terror.host\t1\r\n.\r\n", "'/nope' does not exist!!"},
		{"0Malformed command\t\tERROR.HOST\t1\r\n.\r\n", "Malformed command"},
		{string(captured(t, "gn-error-menu").s2c), "Error: File or directory not found! (null)"},
		{string(captured(t, "py-error3").s2c), "'/nope' does not exist (no handler found)"},
		{string(captured(t, "umn-error-plain").s2c), "'/nope' does not exist!!"},
		{string(captured(t, "umn-two-tabs-rejected").s2c), "Malformed command"},

		{"", ""},
		{".\r\n", ""},
		{"3 little pigs\r\n", ""},
		{"3\ta\tb\r\n", ""},
		{"Error: no such file\r\n", ""},
		{"0a\ts\th\t70\r\n", ""},
		{"3a\t\t\t\r\nand more text\r\n", ""},
		{"3a\t\t\t\r\n3b\t\t\t\r\n", ""},
		{"ia\t\t\t\r\n3b\t\t\t\r\n", ""},
		{string(captured(t, "gn-text").s2c), ""},
		{string(captured(t, "gn-error-text").s2c), ""}, // this error looks like a text
	} {
		err := plainError([]byte(c.reply))
		var e *ReplyError
		switch {
		case c.message == "":
			if err != nil {
				t.Errorf("%q: %v", c.reply, err)
			}
		case !errors.As(err, &e) || e.Message != c.message || e.Code != CodeNone || !errors.Is(err, scheme.ErrNotFound):
			t.Errorf("%q: %v, want %q", c.reply, err, c.message)
		}
	}
}
