package gemini

import (
	"bufio"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/locus-url/locus/scheme"
)

// InMemory is a value of [Options.KnownHosts]. The client then stores no fingerprints in a file.
const InMemory = "memory"

// knownHosts holds the first certificate of each host and port. Each line of the file holds
// an address, the SHA-256 of the certificate in hexadecimal, and the time at which the
// certificate expires. If an address has several lines, the last line counts.
type knownHosts struct {
	file     string // name of the file; empty means memory only
	fallback bool   // if the file is not accessible, the client uses memory only

	mu     sync.Mutex
	read   bool
	lines  int // number of lines in the file
	pinned map[string]pin
}

const (
	// maxKnown limits the servers in memory and the lines of the file. If the limit is
	// reached, the client trusts a new server each time. The client must not forget another
	// server instead, because a page can link to any number of servers.
	maxKnown = 10_000
	// maxAddress is the maximum length of a stored address in octets.
	maxAddress = 300
)

type pin struct {
	sum     string
	expires time.Time
}

// defaultFile returns the default file in the user's configuration directory. If there is no such directory, it returns
// "".
func defaultFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "locus", "gemini-known-hosts")
}

// check validates the certificate of a server. It stores the first certificate of
// an address. The error wraps [scheme.ErrAuth].
func (k *knownHosts) check(address string, c *x509.Certificate, now time.Time) error {
	hash := sha256.Sum256(c.Raw)
	sum := hex.EncodeToString(hash[:])
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.load(); err != nil {
		return err
	}
	known, ok := k.pinned[address]
	switch {
	case ok && known.sum == sum:
		return nil
	case ok && now.Before(known.expires):
		err := fmt.Errorf("%w: the certificate of %s has changed: it was sha256:%s until %s, and is sha256:%s",
			scheme.ErrAuth, address, known.sum, known.expires.UTC().Format(time.RFC3339), sum)
		if k.file != "" {
			err = scheme.Hint(err, "if the server's owner confirms the change, remove its line from "+k.file)
		}
		return err
	}
	if !k.makeRoom(address, now) {
		return nil
	}
	k.pinned[address] = pin{sum, c.NotAfter}
	return k.unlessFallback(k.store(address, k.pinned[address]))
}

// unlessFallback returns err, the error of an access to the file. If the client uses memory
// instead of the file, unlessFallback returns nil.
func (k *knownHosts) unlessFallback(err error) error {
	switch {
	case err == nil:
		return nil
	case k.fallback && !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE):
		// The process may only have run out of descriptors. The file then exists, and the
		// client must not trust a changed certificate.
		k.file = ""
		return nil
	}
	return fmt.Errorf("known hosts: %w", err)
}

// makeRoom reports whether knownHosts can store the certificate of address. If necessary,
// it removes expired certificates.
func (k *knownHosts) makeRoom(address string, now time.Time) bool {
	if _, ok := k.pinned[address]; !ok && len(k.pinned) >= maxKnown {
		maps.DeleteFunc(k.pinned, func(_ string, p pin) bool { return !now.Before(p.expires) })
	}
	_, ok := k.pinned[address]
	return len(address) <= maxAddress && (ok || len(k.pinned) < maxKnown)
}

// load reads the file once.
func (k *knownHosts) load() error {
	if k.read {
		return nil
	}
	k.pinned, k.lines = make(map[string]pin), 0
	err := k.readFile()
	if os.IsNotExist(err) {
		err = nil
	}
	err = k.unlessFallback(err)
	k.read = err == nil
	return err
}

func (k *knownHosts) readFile() error {
	if k.file == "" {
		return nil
	}
	f, err := os.Open(k.file)
	if err != nil {
		return err
	}
	defer f.Close()
	scan := bufio.NewScanner(io.LimitReader(f, 64<<20))
	for scan.Scan() && len(k.pinned) < maxKnown {
		k.lines++
		fields := strings.Fields(scan.Text())
		if len(fields) != 3 {
			continue
		}
		if expires, err := time.Parse(time.RFC3339, fields[2]); err == nil {
			k.pinned[fields[0]] = pin{fields[1], expires}
		}
	}
	if err := scan.Err(); err != nil {
		return scheme.Hint(fmt.Errorf("%s: line %d: %w", k.file, k.lines+1, err), "repair the file, or remove it to trust each server on first use again")
	}
	return nil
}

// store appends a line. It does not store a server on loopback, because another
// program may use its port tomorrow.
func (k *knownHosts) store(address string, p pin) error {
	if a, err := netip.ParseAddrPort(address); k.file == "" || k.lines >= maxKnown || err == nil && a.Addr().Unmap().IsLoopback() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(k.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(k.file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	k.lines++
	line := fmt.Sprintf("%s %s %s\n", address, p.sum, p.expires.UTC().Format(time.RFC3339))
	if isCut(f) {
		line = "\n" + line
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// isCut reports whether the last line of a file has no line end, as after a full disk.
// Appending would join the next line to it.
func isCut(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err != nil || last[0] != '\n'
}
