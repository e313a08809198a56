package fleet

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// openTestFrontier opens a frontier on a new server.
func openTestFrontier(t *testing.T) *Frontier {
	t.Helper()
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	nc, err := e.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	f, err := OpenFrontier(t.Context(), nc, "default", Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTargetOnce checks that a target is stored only once, even if it is published repeatedly.
func TestTargetOnce(t *testing.T) {
	f := openTestFrontier(t)
	subject := f.subject(targetStream, f.hostAddressOf("h.example").words([16]byte{1})...)
	if _, err := f.js.Publish(t.Context(), subject, []byte("1")); err != nil {
		t.Fatal(err)
	}
	_, err := f.js.Publish(t.Context(), subject, []byte("2"))
	if api := (*jetstream.APIError)(nil); !errors.As(err, &api) || api.ErrorCode != 10077 {
		t.Fatal(err)
	}
	m, err := f.targets.GetLastMsgForSubject(t.Context(), subject)
	if err != nil || string(m.Data) != "1" {
		t.Fatal(m, err)
	}
}

func TestEmbedBusy(t *testing.T) {
	dir := t.TempDir()
	e, err := Embed(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Embed(dir); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	again, err := Embed(dir)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// TestFormat checks that programs with different formats never share a frontier. Older programs,
// which have no format number, decode the record as Settings and reject it.
func TestFormat(t *testing.T) {
	f := openTestFrontier(t)
	entry, err := f.control.Get(t.Context(), settingsKey)
	if err != nil {
		t.Fatal(err)
	}
	var before Settings
	if err := json.Unmarshal(entry.Value(), &before); err != nil || before.check() == nil {
		t.Errorf("a program from before the format number opens the frontier: %+v, %v", before, err)
	}
	for name, record := range map[string]string{
		"before the format number": `{"partitions":64,"replicas":1}`,
		"older format":             `{"format":1,"settings":{"partitions":64,"replicas":1}}`,
		"newer format":             `{"format":3,"settings":{"partitions":64,"replicas":1}}`,
	} {
		if _, err := f.control.Put(t.Context(), settingsKey, []byte(record)); err != nil {
			t.Fatal(err)
		}
		_, found := FindFrontier(t.Context(), f.nc, "default")
		_, opened := OpenFrontier(t.Context(), f.nc, "default", Settings{})
		for _, err := range []error{found, opened} {
			if err == nil || !strings.Contains(err.Error(), "another version of locus-fleet created the frontier default") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
