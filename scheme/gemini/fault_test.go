package gemini

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/dev/faults"
)

// faultHosts adapts knownHosts to the store tests with file system faults.
type faultHosts struct{ knownHosts }

func faultAddress(i int) string { return fmt.Sprintf("h%d.example:1965", i) }

func faultCertificate(i int) *x509.Certificate {
	return &x509.Certificate{Raw: fmt.Append(nil, i), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (h *faultHosts) Put(i int) error {
	return h.check(faultAddress(i), faultCertificate(i), time.Now())
}

func (h *faultHosts) Get(i int) (bool, error) {
	if err := h.load(); err != nil {
		return false, err
	}
	sum := sha256.Sum256(faultCertificate(i).Raw)
	p, ok := h.pinned[faultAddress(i)]
	if ok && p.sum != hex.EncodeToString(sum[:]) {
		return false, fmt.Errorf("%w: %s", faults.ErrWrong, p.sum)
	}
	return ok, nil
}

func (h *faultHosts) Close() error { return nil }

func TestFaults(t *testing.T) {
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			h := &faultHosts{knownHosts{file: filepath.Join(dir, "known")}}
			return h, h.load()
		},
		Promise:   faults.AtPut,
		Shared:    true,
		DiskSpace: 32 << 10,
		Silent:    true,
	})
}

// If the process has no free file descriptor, the client must not treat the default file as
// inaccessible.
func TestFaultsOfDefaultFile(t *testing.T) {
	other := "TestFaults tests it with a file that the caller names"
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			h := &faultHosts{knownHosts{file: filepath.Join(dir, "known"), fallback: true}}
			return h, h.load()
		},
		Promise: faults.AtPut,
		Cannot: map[faults.Fault]string{
			faults.Kill: other, faults.Full: other, faults.ReadOnly: other, faults.Clock: other, faults.Two: other, faults.Damage: other,
		},
	})
}
