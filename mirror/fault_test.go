package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/dev/faults"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/scheme"
)

// faultServer has an object at every path of the scheme x-menu.
type faultServer struct{}

func faultText(name string) string { return strings.Repeat(name+" ", 300) }

func (faultServer) Open(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
	name, _ := req.URL.Path()
	text := faultText(path.Base(name))
	return &scheme.Object{URL: req.URL, Size: int64(len(text)), Type: "text/plain", Body: io.NopCloser(strings.NewReader(text))}, nil
}

// faultTree is a mirror as a store of files: each entry is a run.
type faultTree struct {
	client *access.Client
	end    func()
	dir    string
}

func (f *faultTree) Put(i int) error {
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		sum, err := mirror.Run(context.Background(), f.client, f.dir, []locus.URL{parse(fmt.Sprintf("x-menu://h/%d", i))}, nil)
		if errors.Is(err, mirror.ErrBusy) && time.Now().Before(end) {
			continue // runs of two processes alternate
		}
		if err == nil && sum.Failed > 0 {
			err = fmt.Errorf("%s: %+v", f.dir, sum)
		}
		return err
	}
}

func (f *faultTree) Get(i int) (bool, error) {
	names, err := filepath.Glob(filepath.Join(f.dir, "*", fmt.Sprint(i)))
	if len(names) == 0 {
		names, err = filepath.Glob(filepath.Join(f.dir, "*", fmt.Sprintf("%d.*", i)))
	}
	if err != nil || len(names) == 0 {
		return false, err
	}
	text, err := os.ReadFile(names[0])
	if err == nil && string(text) != faultText(fmt.Sprint(i)) {
		err = fmt.Errorf("%w: %.40q", faults.ErrWrong, text)
	}
	return true, err
}

func (f *faultTree) Close() error {
	f.end()
	return nil
}

func TestFaults(t *testing.T) {
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			s := (&fixture{}).scheme()
			s.Access.Opener = faultServer{}
			c, end := openClient(s)
			return &faultTree{c, end, dir}, nil
		},
		Promise: faults.AtPut,
		Shared:  true,
		// The files are the user's.
		IsInput: func(name string) bool { return !strings.HasPrefix(name, ".locus-mirror/") },
	})
}
