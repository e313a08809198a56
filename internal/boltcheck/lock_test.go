package boltcheck

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	berrors "go.etcd.io/bbolt/errors"
)

// A lock is somebody's, and whatever its file is, it can be had.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	db, err := Lock(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(path, time.Millisecond); !errors.Is(err, berrors.ErrTimeout) {
		t.Errorf("locked twice: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{
		"empty":    nil,
		"short":    []byte("short"),
		"garbage":  bytes.Repeat([]byte("garbage "), 10_000),
		"a page":   whole[:os.Getpagesize()],
		"all zero": make([]byte, len(whole)),
	}
	// A disk that is full may lose any page of it.
	for at := 0; at < len(whole); at += os.Getpagesize() {
		octets := bytes.Clone(whole)
		clear(octets[at : at+os.Getpagesize()])
		files[fmt.Sprintf("without octets from %d on", at)] = octets
	}
	for name, octets := range files {
		if err := os.WriteFile(path, octets, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := Lock(path, time.Second)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := Lock(path, time.Millisecond); !errors.Is(err, berrors.ErrTimeout) {
			t.Errorf("%s: locked twice: %v", name, err)
		}
		if err := db.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Lock(filepath.Join(path, "below"), time.Second); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("below a file: %v", err)
	}
}
