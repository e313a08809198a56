package tn3270_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus/tn3270"
)

// screen returns a new screen.
func screen(t testing.TB, o *tn3270.Options) *tn3270.Screen {
	t.Helper()
	s, err := tn3270.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// receive passes a record to the screen and returns the reply.
func receive(t testing.TB, s *tn3270.Screen, record []byte) []byte {
	t.Helper()
	reply, err := s.Receive(record)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// press presses keys and returns the record that the last key sends.
func press(t testing.TB, s *tn3270.Screen, keys ...tn3270.Key) (send []byte) {
	t.Helper()
	for _, k := range keys {
		var err error
		if send, err = s.Press(k); err != nil {
			t.Fatalf("%v: %v", k, err)
		}
	}
	return send
}

// write types text.
func write(t testing.TB, s *tn3270.Screen, text string) {
	t.Helper()
	if err := s.Type(text); err != nil {
		t.Fatal(err)
	}
}

// wantText compares the text of the screen without trailing empty lines.
func wantText(t testing.TB, s *tn3270.Screen, want string) {
	t.Helper()
	if got := strings.TrimRight(s.Text(), "\n"); got != want {
		t.Errorf("the screen is\n%s\nnot\n%s", got, want)
	}
}

// wantCursor compares the position of the cursor.
func wantCursor(t testing.TB, s *tn3270.Screen, row, column int) {
	t.Helper()
	if r, c := s.Cursor(); r != row || c != column {
		t.Errorf("the cursor is at %d,%d, not %d,%d", r, c, row, column)
	}
}

// wantError checks that err wraps the error want.
func wantError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v, not %v", err, want)
	}
	if err != nil && !strings.HasPrefix(err.Error(), "tn3270: ") {
		t.Errorf("%v", err)
	}
}

// builder returns a new Builder.
func builder(t testing.TB, o *tn3270.Options) *tn3270.Builder {
	t.Helper()
	b, err := tn3270.NewBuilder(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// record returns the record that the builder b contains.
func record(t testing.TB, b *tn3270.Builder) []byte {
	t.Helper()
	r, err := b.Record()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// e returns text encoded in code page 037.
func e(t testing.TB, text string) string {
	t.Helper()
	return string(record(t, builder(t, nil).Text(text)))
}
