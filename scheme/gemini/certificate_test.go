package gemini

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/scheme"
)

// The client must limit the numbers of stored servers and file lines, and must not forget a known
// server.
func TestKnownHostsLimit(t *testing.T) {
	now := time.Now()
	first := &x509.Certificate{Raw: []byte("first"), NotAfter: now.Add(time.Hour)}
	other := &x509.Certificate{Raw: []byte("other"), NotAfter: now.Add(time.Hour)}
	k := &knownHosts{file: filepath.Join(t.TempDir(), "known")}
	var text strings.Builder
	for i := range maxKnown - 1 {
		fmt.Fprintf(&text, "h%d.example:1965 00 %s\n", i, now.Add(time.Duration(i+1)*time.Second).UTC().Format(time.RFC3339))
	}
	if err := os.WriteFile(k.file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"a.example:1965", "b.example:1965", strings.Repeat("a", maxAddress+1)} {
		if err := k.check(address, first, now); err != nil {
			t.Error(err)
		}
	}
	for address, stored := range map[string]bool{"a.example:1965": true, "b.example:1965": false, "h9000.example:1965": true} {
		if err := k.check(address, other, now); errors.Is(err, scheme.ErrAuth) != stored {
			t.Errorf("%s: %v", address, err)
		}
	}
	if octets, err := os.ReadFile(k.file); strings.Count(string(octets), "\n") != maxKnown || err != nil {
		t.Errorf("%d lines, %v", strings.Count(string(octets), "\n"), err)
	}
	// A new server may replace expired entries in memory, and the file must not grow.
	if err := k.check("b.example:1965", first, now.Add(time.Minute)); err != nil || len(k.pinned) >= maxKnown || k.pinned["b.example:1965"].sum == "" {
		t.Errorf("%d known, %v", len(k.pinned), err)
	}
	if k.lines != maxKnown {
		t.Errorf("%d lines", k.lines)
	}
}

// If the default file is not accessible, the client must store certificates in memory. If a file
// that the caller names is not accessible, the client must fail.
func TestKnownHostsFallback(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	a := &x509.Certificate{Raw: []byte("a"), NotAfter: now.Add(time.Hour)}
	b := &x509.Certificate{Raw: []byte("b"), NotAfter: now.Add(time.Hour)}
	for _, inaccessible := range []string{filepath.Join(file, "known"), filepath.Dir(file)} {
		k := &knownHosts{file: inaccessible, fallback: true}
		if err := k.check("h:1965", a, now); err != nil {
			t.Errorf("%s: %v", inaccessible, err)
		}
		if err := k.check("h:1965", b, now); !errors.Is(err, scheme.ErrAuth) {
			t.Errorf("%s: %v", inaccessible, err)
		}
		k = &knownHosts{file: inaccessible}
		for range 2 {
			if err := k.check("h:1965", a, now); err == nil || errors.Is(err, scheme.ErrAuth) {
				t.Errorf("%s: %v", inaccessible, err)
			}
		}
	}
}
