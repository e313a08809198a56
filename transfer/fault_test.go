package transfer

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/dev/faults"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// faultFiles treats a directory of downloads as a store. Each download is interrupted once
// and then resumed.
type faultFiles struct {
	client *access.Client
	server *memory
	dir    string
}

func (f *faultFiles) name(i int) string { return fmt.Sprint("f", i) }

func (f *faultFiles) data(i int) []byte {
	return append(fmt.Appendf(nil, "%d ", i), octets(3000+i%7*5000)...)
}

func (f *faultFiles) Put(i int) error {
	f.server.files[f.name(i)] = &file{data: f.data(i), tag: "t", cut: 2000, cuts: 1}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	results, err := Run(context.Background(), f.client, root, []Job{{mem(f.name(i)), f.name(i)}}, &Options{Resume: true, Politeness: access.Politeness{Retry: 1, Wait: 1}})
	if err != nil {
		return err
	}
	for r := range results {
		err = r.Err
	}
	return err
}

func (f *faultFiles) Get(i int) (bool, error) {
	got, err := os.ReadFile(filepath.Join(f.dir, f.name(i)))
	if os.IsNotExist(err) {
		return false, nil
	}
	if err == nil && !bytes.Equal(got, f.data(i)) {
		err = fmt.Errorf("%w: %d octets", faults.ErrWrong, len(got))
	}
	return true, err
}

func (f *faultFiles) Close() error { return f.client.Close() }

func TestFaults(t *testing.T) {
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			m := &memory{files: map[string]*file{}}
			s := scheme.Generic("x-mem", scheme.Experimental)
			s.Access.Opener, s.Access.Protocol = m, "memory"
			registry, err := scheme.NewRegistry(s)
			if err != nil {
				return nil, err
			}
			return &faultFiles{access.New(registry, policy.Policy{}, nil), m, dir}, nil
		},
		Promise: faults.AtPut,
		Shared:  true,
		Cannot:  map[faults.Fault]string{faults.Damage: "after a download there is only the user's file; TestParts damages what is left in the middle of one"},
	})
}
