package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// awkwardTree returns the contents of files with the given names, by path. Some of the files are in
// directories with similar names.
func awkwardTree(names []string) map[string]string {
	files := map[string]string{}
	for _, name := range names {
		files[name] = "content of " + name + "\n"
		files["dir of "+name+"/"+name] = "below " + name + "\n"
	}
	return files
}

var awkwardNames = []string{
	"plain.txt", "with space.txt", "ümlaut-日本.txt", "colon:name.txt", "dots...txt", "per%20cent.txt", "per%cent.txt", "ha#sh.txt", "semi;type=a",
	"star*.txt", "quote\".txt", "CON", "nul.txt", "-rf", "~tilde.txt", "Case.txt", "case.txt", "CASE.txt", "e\u0301.txt", "\u00e9.txt",
	strings.Repeat("long", 55) + ".txt", strings.Repeat("long", 55) + ".tx2", "a&b=c+d@e.txt", "brackets[1].txt", "plus+plus.txt",
}

// mirrored returns the contents of the files in a mirror, and the number of files with each
// content. It omits the files that locus itself creates.
func mirrored(t testing.TB, dir string) map[string]int {
	t.Helper()
	contents := map[string]int{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".locus-mirror":
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasPrefix(d.Name(), ".menu"):
			return nil
		}
		text, err := os.ReadFile(name)
		contents[strings.ReplaceAll(string(text), "\r\n", "\n")]++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return contents
}

// checkMirror mirrors a server twice. It checks that the files match the files on the server, and
// that the second run changes nothing.
func checkMirror(t *testing.T, files map[string]string, u string, flags ...string) {
	t.Helper()
	dir := t.TempDir()
	args := slices.Concat([]string{"mirror", "--json", "-d", "to"}, flags, []string{u})
	r := locusIn(t, dir, args...)
	if r.status != 0 {
		t.Fatalf("status %d: %s\n%s", r.status, clip(r.err), clip(r.out))
	}
	contents := mirrored(t, filepath.Join(dir, "to"))
	for name, text := range files {
		if contents[text] != 1 {
			t.Errorf("%q is there %d times", name, contents[text])
		}
	}
	var sum struct {
		Added, Changed, Same, Gone int
		Whole                      bool
	}
	r = locusIn(t, dir, args...)
	last := r.out[strings.LastIndexByte(strings.TrimSpace(r.out), '\n')+1:]
	if err := json.Unmarshal([]byte(last), &sum); err != nil || r.status != 0 || sum.Added+sum.Changed+sum.Gone > 0 || !sum.Whole {
		t.Errorf("the second run: %v, %d, %s", err, r.status, last)
	}
}

func writeTree(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text, 0o644)
	}
}

func TestMirrorFTP(t *testing.T) {
	p := vsftpd(t)
	files := awkwardTree(append(slices.Clone(awkwardNames), "que?stion.txt", "back\\slash.txt", "latin\xe9.txt"))
	writeTree(t, p.pub, files)
	if err := os.Symlink(".", filepath.Join(p.pub, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(p.pub, "dir of CON", "up")); err != nil {
		t.Fatal(err)
	}
	// Through symbolic links, each file has at most two other paths.
	dir := t.TempDir()
	r := locusIn(t, dir, "mirror", "--json", "-d", "to", "ftp://"+p.addr()+"/")
	if r.status != 0 || !strings.Contains(r.out, `"loops":`) || strings.Contains(r.out, `"loops":0`) {
		t.Errorf("status %d: %s\n%s", r.status, clip(r.err), clip(r.out[strings.LastIndexByte(strings.TrimSpace(r.out), '\n')+1:]))
	}
	contents := mirrored(t, filepath.Join(dir, "to"))
	for name, text := range files {
		if contents[text] == 0 {
			t.Errorf("%q is missing", name)
		}
	}
	// Without symbolic links, each file occurs once.
	os.Remove(filepath.Join(p.pub, "loop"))
	os.Remove(filepath.Join(p.pub, "dir of CON", "up"))
	checkMirror(t, files, "ftp://"+p.addr()+"/")
}

func TestMirrorNginx(t *testing.T) {
	p := nginx(t, "location /files/ { autoindex on; gzip off; }")
	files := awkwardTree(append(slices.Clone(awkwardNames), "que?stion.txt"))
	writeTree(t, filepath.Join(p.pub, "files"), files)
	checkMirror(t, files, "http://"+p.addr()+"/files/")
}

func TestMirrorGopher(t *testing.T) {
	eachGopher(t, func(t *testing.T, p *peer) {
		var names []string
		for _, name := range awkwardNames {
			// The servers do not list files with such names, or respond with other
			// files.
			if len(name) < 60 && !strings.Contains(name, "..") && !strings.ContainsAny(name, "~%#;:\\\"*[+&") && name[0] != '.' && name[0] != '-' {
				names = append(names, name)
			}
		}
		files := awkwardTree(names)
		writeTree(t, filepath.Join(p.pub, "files"), files)
		// Both servers send all of these files as text.
		dir := t.TempDir()
		r := locusIn(t, dir, "mirror", "-d", "to", p.gopher("1/files"))
		contents := mirrored(t, filepath.Join(dir, "to"))
		for name, text := range files {
			if contents[text] != 1 && contents[strings.TrimSuffix(text, "\n")] != 1 {
				t.Errorf("%q is there %d times", name, contents[text])
			}
		}
		if t.Failed() {
			t.Logf("status %d: %s\n%s", r.status, clip(r.err), clip(r.out))
		}
	})
}

func TestMirrorNews(t *testing.T) {
	n := startINN(t)
	n.do(t, "ctlinnd", "-t", "5", "newgroup", "local.mirror")
	var articles []string
	for i := range 5 {
		articles = append(articles, fmt.Sprintf("From: a@example.com\nNewsgroups: local.mirror\nSubject: article %d\nMessage-ID: <mirror%d@example.com>\n\nbody %d\n", i, i, i))
	}
	n.post(t, articles...)
	dir := t.TempDir()
	r := locusIn(t, dir, "mirror", "-d", "to", "nntp://"+n.addr()+"/local.mirror")
	contents := slices.Collect(maps.Keys(mirrored(t, filepath.Join(dir, "to"))))
	for i := range articles {
		if !slices.ContainsFunc(contents, func(text string) bool { return strings.HasSuffix(text, fmt.Sprintf("\nbody %d\n", i)) }) {
			t.Errorf("article %d is missing: status %d, %s%s", i, r.status, clip(r.err), clip(r.out))
		}
	}
}

// The command mirrors a directory with 20,000 files.
func TestMirrorLargeDirectory(t *testing.T) {
	long(t)
	p := vsftpd(t)
	files := map[string]string{}
	for i := range 20_000 {
		files[fmt.Sprintf("many/file%05d.txt", i)] = fmt.Sprint(i, "\n")
	}
	writeTree(t, p.pub, files)
	checkMirror(t, files, "ftp://"+p.addr()+"/many/")
}

// If the user kills a mirror run at any time and then continues it, the result is the same as
// without the kill.
func TestMirrorKilled(t *testing.T) {
	long(t) // it kills twenty runs
	// If a client is killed before it opens a data connection, its session continues to wait
	// for the connection (60 s without accept_timeout). The server permits only 50 sessions
	// for an address.
	p := vsftpd(t, "max_per_ip=0", "accept_timeout=5")
	files := awkwardTree(awkwardNames)
	files["big.bin"] = strings.Repeat("0123456789abcdef", 1<<17)
	writeTree(t, p.pub, files)
	want := t.TempDir()
	if r := locusIn(t, want, "mirror", "-d", "to", "ftp://"+p.addr()+"/"); r.status != 0 {
		t.Fatal(r.err)
	}
	whole := mirrored(t, filepath.Join(want, "to"))
	for range 20 {
		dir := t.TempDir()
		for patience := time.Duration(0); ; patience += 20 * time.Millisecond {
			cmd := exec.Command(program, "mirror", "--quiet", "-d", "to", "ftp://"+p.addr()+"/")
			var said bytes.Buffer
			cmd.Dir, cmd.Env, cmd.Stderr = dir, []string{"HOME=" + dir}, &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(patience+rand.N(50*time.Millisecond), func() { cmd.Process.Kill() })
			err := cmd.Wait()
			timer.Stop()
			if err == nil {
				break
			}
			if cmd.ProcessState.Exited() {
				t.Fatalf("it was not killed, and failed: %s", clip(said.String()))
			}
		}
		got := mirrored(t, filepath.Join(dir, "to"))
		for text, n := range whole {
			if got[text] != n {
				t.Errorf("%.60q is there %d times, not %d", text, got[text], n)
			}
		}
		for text, n := range got {
			if whole[text] == 0 {
				t.Errorf("%.60q is there %d times, not at all before", text, n)
			}
		}
		if t.Failed() {
			return
		}
	}
}
