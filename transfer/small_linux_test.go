package transfer

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/wholefile"
)

// noUnnamed skips a test if the file system does not support unnamed files.
func noUnnamed(t *testing.T, dir string) {
	t.Helper()
	folder, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if _, err := wholefile.Write(folder, "probe", nil, time.Time{}, true); err != nil {
		t.Skip(err)
	}
	if err := os.Remove(filepath.Join(dir, "probe")); err != nil {
		t.Fatal(err)
	}
}

// A small file never has another name, and gets the modification time of its object.
func TestSmall(t *testing.T) {
	dir := t.TempDir()
	noUnnamed(t, dir)
	when := time.Date(1994, 12, 20, 12, 0, 0, 0, time.UTC)
	for _, size := range []int{0, 1, 1000, smallSize, smallSize + 1} {
		data := octets(size)
		seen := 0
		m := &memory{files: map[string]*file{"a": {data: data, modTime: when, during: func(context.Context, int64) {
			names, err := os.ReadDir(dir)
			if err != nil {
				t.Error(err)
			}
			seen = max(seen, len(names))
		}}}}
		if r := runOne(t, m, dir, nil); r.Err != nil || r.Size != int64(size) {
			t.Errorf("%d octets: %+v", size, r)
		}
		if large := size > smallSize; (seen > 0) != large {
			t.Errorf("%d octets: %d files during the transfer", size, seen)
		}
		wantFile(t, dir, "a", data)
		wantNames(t, dir, "a")
		info, err := os.Stat(filepath.Join(dir, "a"))
		if err != nil {
			t.Fatal(err)
		}
		if !info.ModTime().Equal(when) || info.Mode()&0o200 == 0 || info.Mode()&^0o666 != 0 {
			t.Errorf("%d octets: %v, %v", size, info.ModTime(), info.Mode())
		}
		if err := os.Remove(filepath.Join(dir, "a")); err != nil {
			t.Fatal(err)
		}
	}
}

// An incomplete small object becomes a part, which a later run resumes.
func TestSmallIncomplete(t *testing.T) {
	dir := t.TempDir()
	noUnnamed(t, dir)
	data := octets(30_000)
	m := &memory{files: map[string]*file{"a": {data: data, tag: "v1", cut: 20_000, cuts: 1}}}
	r := runOne(t, m, dir, nil)
	if r.Err == nil {
		t.Fatal("no error")
	}
	wantFile(t, dir, "a.part", data[:20_000])
	if r = runOne(t, m, dir, &Options{Resume: true}); r.Err != nil || r.Resumed != 20_000 {
		t.Errorf("%+v", r)
	}
	wantFile(t, dir, "a", data)
	wantNames(t, dir, "a")
}

// In this test, another process writes the same file at the same time.
func TestSmallWithOtherProcess(t *testing.T) {
	data := octets(5000)
	for _, c := range []struct {
		name    string
		options Options
		other   []string // files that the other process makes
		want    []byte
		skipped bool
	}{
		{"the file, and it is replaced", Options{Overwrite: true}, []string{"a"}, data, false},
		{"the file, and it is kept", Options{Resume: true}, []string{"a"}, []byte("theirs"), true},
		{"a part", Options{}, []string{"a.part", "a.part.json"}, data, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			noUnnamed(t, dir)
			done := false
			m := &memory{files: map[string]*file{"a": {data: data, during: func(context.Context, int64) {
				for _, name := range c.other {
					if !done {
						text := "theirs"
						if name == "a.part.json" {
							text = `{"url": "x-mem://host.example/a", "size": -1}`
						}
						write(t, dir, name, []byte(text))
					}
				}
				done = true
			}}}}
			if r := runOne(t, m, dir, &c.options); r.Err != nil || r.Skipped != c.skipped {
				t.Errorf("%+v", r)
			}
			wantFile(t, dir, "a", c.want)
			if c.name != "a part" {
				wantNames(t, dir, "a")
			}
		})
	}
}
