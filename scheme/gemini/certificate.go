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

// knownHosts holds the first certificate of each host and port. Each line of the file holds an
// address, the SHA-256 of the certificate in hexadecimal, and the time at which the certificate
// expires. If the file contains several lines for an address, the last line applies.
type knownHosts struct {
	file     string // file name; if empty, certificates are stored in memory only
	fallback bool   // use memory only if the file is not accessible

	mu     sync.Mutex
	read   bool
	lines  int // number of lines in the file
	pinned map[string]pin
}

const (
	// maxKnown is the maximum number of servers in memory and of lines in the file. Beyond
	// this limit, the client trusts a new server on each visit and does not store its
	// certificate. The client must not forget a known server instead, because a malicious page
	// can link to any number of servers.
	maxKnown = 10_000
	// maxAddress is the maximum length of a stored address in octets.
	maxAddress = 300
)

type pin struct {
	sum     string
	expires time.Time
}

// defaultFile returns the name of the default file in the user's configuration directory, or "" if
// the directory is unknown.
func defaultFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "locus", "gemini-known-hosts")
}

// check compares the certificate of a server with the known certificate for its address. It stores
// the first certificate for an address. If the certificates differ, the error wraps
// [scheme.ErrAuth].
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

// unlessFallback handles an error from accessing the file. It returns nil if the client may use
// memory instead of the file, and a wrapped error otherwise.
func (k *knownHosts) unlessFallback(err error) error {
	switch {
	case err == nil:
		return nil
	case k.fallback && !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE):
		// The condition excludes errors that mean only that the process has no free file
		// descriptor. In that case the file may exist, and the client must not trust a
		// changed certificate.
		k.file = ""
		return nil
	}
	return fmt.Errorf("known hosts: %w", err)
}

// makeRoom reports whether there is room for the certificate of the given address. If necessary,
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

// store appends a line to the file. It does not store a server on a loopback address, because
// another program may later use the same port.
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

// isCut reports whether the last line of a file has no line end, which can happen if the disk was
// full. Text that is appended to such a file would become part of the last line.
func isCut(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err != nil || last[0] != '\n'
}
