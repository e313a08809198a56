package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/verify"
)

func testChecker(t testing.TB) *verify.Checker {
	w := &fixture{TB: t}
	return verify.NewChecker(w.plainClient(), nil, nil)
}

func testFrontier() *Frontier { return &Frontier{name: "default", settings: Settings{Partitions: 64}} }

// TestTargetRecord checks that a target's message must match its subject.
func TestTargetRecord(t *testing.T) {
	f, a := testFrontier(), testChecker(t)
	found := a.Typed(locus.MustParse("http://h.example/a#b"))
	at := f.addressOf(a, &found)
	text, err := encodeTarget(a, &found, "")
	if err != nil {
		t.Fatal(err)
	}
	again, by, err := f.decodeTarget(a, at, text)
	if err != nil || again.Target != found.Target || again.Fragment != "b" || by != "" {
		t.Errorf("%+v %q %v", again, by, err)
	}
	subject := f.subject(targetStream, at.words()...)
	if got, err := f.parseSubject(targetStream, subject); err != nil || got != at {
		t.Errorf("%v %v", got, err)
	}
	other := a.Typed(locus.MustParse("http://h.example/other"))
	if _, _, err := f.decodeTarget(a, f.addressOf(a, &other), text); err == nil {
		t.Error("it is another target")
	}
	file := a.Typed(locus.MustParse("file:///etc/passwd"))
	text, err = encodeTarget(a, &file, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.decodeTarget(a, f.addressOf(a, &file), text); err == nil {
		t.Error("it is on this machine")
	}
	secret := a.Typed(locus.MustParse("http://u:secret@h.example/"))
	if _, err := encodeTarget(a, &secret, ""); !errors.Is(err, verify.ErrSecret) {
		t.Error(err)
	}
	for _, subject := range []string{"", "locus.default.targets.64." + at.host + ".00", "locus.default.targets.03.aaaaaaaaaaaaaaaa.00000000000000000000000000000000", "locus.default.verdicts.3.aaaaaaaaaaaaaaaa.00000000000000000000000000000000", "locus.default.targets.3.zzzzzzzzzzzzzzzz.00000000000000000000000000000000"} {
		if _, err := f.parseSubject(targetStream, subject); !errors.Is(err, errSubject) {
			t.Errorf("%s: %v", subject, err)
		}
	}
}

// TestLineWithoutPassword checks that a document's lines contain no password.
func TestLineWithoutPassword(t *testing.T) {
	a := testChecker(t)
	found := a.Typed(locus.MustParse("http://u:secret@h.example/x"))
	text, err := encodeLine(a, &line{found: found, response: new(verify.Response)})
	if err != nil || bytes.Contains(text, []byte("secret")) {
		t.Errorf("%s %v", text, err)
	}
	trouble, err := encodeLine(a, &line{document: "d", readErr: errors.New("can't read http://u:secret@h.example/x")})
	if err != nil || bytes.Contains(trouble, []byte("secret")) {
		t.Errorf("%s %v", trouble, err)
	}
	lines, err := decodeLines(a, append(text, trouble...))
	if err != nil || len(lines) != 2 || lines[0].found.Result.URL.String() != "http://u@h.example/x" || lines[1].readErr == nil {
		t.Errorf("%+v %v", lines, err)
	}
}

func FuzzTargetRecord(f *testing.F) {
	fr, a := testFrontier(), testChecker(f)
	for _, u := range []string{"http://h.example/a#b", "gopher://h.example/", "mailto:a@h.example"} {
		found := a.Typed(locus.MustParse(u))
		text, err := encodeTarget(a, &found, "")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(fr.subject(targetStream, fr.addressOf(a, &found).words()...), text)
	}
	f.Add(fr.retrySubject(address{hostAddress{3, "0123456789abcdef"}, key{1}}, 7), []byte(nil))
	f.Fuzz(func(t *testing.T, subject string, text []byte) {
		if at, verdict, err := fr.parseTarget(subject); err == nil && verdict != 0 {
			if back := fr.retrySubject(at, verdict); !strings.EqualFold(back, subject) {
				t.Errorf("%s is %s", subject, back)
			}
		}
		at, err := fr.parseSubject(targetStream, subject)
		if err != nil {
			// The text is decoded anyway.
			_, _, _ = fr.decodeTarget(a, at, text)
			return
		}
		if back := fr.subject(targetStream, at.words()...); back != subject {
			// With upper-case hexadecimal digits, the subject may belong to another target.
			if other, err := fr.parseSubject(targetStream, back); err != nil || other.key != at.key {
				t.Errorf("%s is %s", subject, back)
			}
		}
		found, _, err := fr.decodeTarget(a, at, text)
		if err != nil {
			return
		}
		if !a.Keeps(&found.Target) || fr.addressOf(a, &found) != at {
			t.Errorf("taken: %s %s", subject, text)
		}
		if again, err := encodeTarget(a, &found, ""); err != nil {
			t.Errorf("%s: %v", again, err)
		}
	})
}

func FuzzLines(f *testing.F) {
	a := testChecker(f)
	found := a.Typed(locus.MustParse("http://h.example/a#b"))
	for _, l := range []line{{found: found}, {found: found, response: &verify.Response{Outcome: verify.Outcome{Verdict: verify.Dead}}}, {document: "d", readErr: errors.New("e")}} {
		text, err := encodeLine(a, &l)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, err := decodeLines(a, text)
		if err != nil {
			return
		}
		for i := range lines {
			if _, err := encodeLine(a, &lines[i]); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"worker":"a"}`))
	f.Add([]byte(`{"host":"0123456789abcdef","atOnce":2,"interval":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, r := range []any{new(workerRecord), new(partRecord), new(permitRecord), new(hostRecord), new(Counts), new(settingsRecord), new(Change)} {
			if json.Unmarshal(text, r) == nil {
				once, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				again := reflect.New(reflect.TypeOf(r).Elem()).Interface()
				if err := json.Unmarshal(once, again); err != nil {
					t.Fatalf("%T: %s: %v", r, once, err)
				}
				if twice, err := json.Marshal(again); err != nil || !bytes.Equal(once, twice) {
					t.Errorf("%T: %s, and again %s, %v", r, once, twice, err)
				}
			}
		}
	})
}
