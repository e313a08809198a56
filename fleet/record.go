package fleet

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/verify"
)

// key identifies a target. It is a hash of [verify.Checker.Key], the fragment, and whether workers
// read the target as a page of a site.
type key [16]byte

// baseKey returns the key of a target without its fragment. Targets with the same base key share
// one request.
func baseKey(a *verify.Checker, t *verify.Target) key {
	k := a.Key(t)
	if t.First.IsZero() {
		return k
	}
	return key(hash16(append(k[:], "page"...)))
}

func keyOf(a *verify.Checker, f *verify.Found) key {
	k := baseKey(a, &f.Target)
	if f.Fragment == "" {
		return k
	}
	return key(hash16(append(append(k[:], '#'), f.Fragment...)))
}

func hash16(text []byte) []byte {
	sum := sha256.Sum256(text)
	return sum[:16]
}

// address identifies the messages about a target. It consists of the last three words of their
// subjects.
type address struct {
	hostAddress
	key key
}

func (a address) words() []string { return a.hostAddress.words(a.key) }

func (f *Frontier) addressOf(a *verify.Checker, found *verify.Found) address {
	host, _, _ := a.Host(found.Target.Canonical)
	return address{f.hostAddressOf(host), keyOf(a, found)}
}

var errSubject = errors.New("fleet: not the subject of a target")

// parseSubject parses the subject of a message about a target.
func (f *Frontier) parseSubject(kind, subject string) (a address, err error) {
	words := strings.Split(subject, ".")
	if len(words) != 6 || strings.Join(words[:3], ".") != f.subject(kind) || len(words[4]) != 16 || len(words[5]) != 32 {
		return a, errSubject
	}
	n, err := strconv.Atoi(words[3])
	if err != nil || n < 0 || n >= f.settings.Partitions || strconv.Itoa(n) != words[3] {
		return a, errSubject
	}
	if _, err := hex.DecodeString(words[4]); err != nil {
		return a, errSubject
	}
	if _, err := hex.Decode(a.key[:], []byte(words[5])); err != nil {
		return a, errSubject
	}
	a.partition, a.host = n, words[4]
	return a, nil
}

// targetRecord is the message for a target.
type targetRecord struct {
	Link json.RawMessage `json:"l"` // output of [verify.Checker.Encode], without the position
	// By is the key of the page that stores the links of this page, because it redirected here.
	// If By is empty, the links are stored under this page's own key.
	By string `json:"by,omitempty"`
}

// encodeTarget returns the message for the target of a link. storingPage is the value of
// targetRecord.By.
func encodeTarget(a *verify.Checker, found *verify.Found, storingPage string) ([]byte, error) {
	plain := verify.Found{Target: found.Target}
	plain.Result.URL = found.Target.URL
	if found.Fragment != "" {
		u, err := found.Target.URL.WithFragment(found.Fragment)
		if err != nil {
			return nil, err
		}
		plain.Result.URL = u
	}
	link, err := a.Encode(&plain)
	if err != nil {
		return nil, err
	}
	return json.Marshal(targetRecord{link, storingPage})
}

// decodeTarget decodes the message for the target at the given address. The message is untrusted.
func (f *Frontier) decodeTarget(a *verify.Checker, at address, text []byte) (found verify.Found, storingPage string, err error) {
	var r targetRecord
	if err := json.Unmarshal(text, &r); err != nil {
		return found, "", fmt.Errorf("invalid JSON of a target: %w", err)
	}
	if found, err = a.Decode(r.Link); err != nil {
		return found, "", err
	}
	switch {
	case found.Target.URL.IsZero():
		err = fmt.Errorf("the target needs no request: %s %s", found.Result.Verdict, found.Result.Detail)
	case !a.Keeps(&found.Target):
		err = errors.New("the target is local or has a password")
	case f.addressOf(a, &found) != at:
		err = errors.New("the subject belongs to another target")
	}
	return found, r.By, err
}

// lineRecord is a line in a message with the links of a document. It contains either a link and
// the link's response, if known, or a read error.
type lineRecord struct {
	Link     json.RawMessage  `json:"l,omitempty"`
	Response *verify.Response `json:"a,omitempty"`
	Document string           `json:"d,omitempty"`
	Error    string           `json:"e,omitempty"`
}

type line struct {
	found    verify.Found
	response *verify.Response // nil if the response is the verdict of the target
	document string
	readErr  error // error of reading the document; nil if the line is a link
}

// encodeLine returns l as JSON with a newline. It omits passwords.
func encodeLine(a *verify.Checker, l *line) ([]byte, error) {
	r := lineRecord{Response: l.response}
	var err error
	if l.readErr != nil {
		r.Document, r.Error = l.document, locus.MaskText(l.readErr.Error())
	} else if r.Link, err = a.Encode(&l.found); errors.Is(err, verify.ErrSecret) {
		plain := verify.Found{Result: l.found.Result}
		plain.Result.Written = locus.Mask(plain.Result.Written)
		plain.Result.URL = plain.Result.URL.WithoutPassword()
		if r.Link, err = a.Encode(&plain); errors.Is(err, verify.ErrSecret) {
			plain.Result.URL = locus.URL{}
			r.Link, err = a.Encode(&plain)
		}
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(r)
	return append(text, '\n'), err
}

// errLine is the error if a message with links can't be decoded.
var errLine = errors.New("fleet: the links of a document are damaged")

// decodeLines decodes the lines of a message. The message is untrusted.
func decodeLines(a *verify.Checker, text []byte) (lines []line, err error) {
	for one := range bytes.Lines(text) {
		var r lineRecord
		if err := json.Unmarshal(one, &r); err != nil {
			return lines, fmt.Errorf("%w: %w", errLine, err)
		}
		l := line{response: r.Response, document: r.Document}
		if r.Link == nil {
			l.readErr = errors.New(r.Error)
		} else if l.found, err = a.Decode(r.Link); err != nil {
			return lines, fmt.Errorf("%w: %w", errLine, err)
		}
		lines = append(lines, l)
	}
	return lines, nil
}
