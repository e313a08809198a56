package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stranger simulates another user's machine. It is a root directory that contains Go, two
// directories as module proxies and a build cache, but nothing else from this machine.
type stranger struct {
	root             string
	unshare          []string // the command that creates a mount namespace
	chroot, mount    string
	goroot           string
	proxy, downloads string // the modules of this repository, and the dependencies
	cache            string // the build cache, which only makes the test faster
}

// newStranger returns a stranger. If the process is not permitted to create namespaces,
// newStranger skips the test, or fails the test if CI is set.
func newStranger(t *testing.T) *stranger {
	t.Helper()
	missing := func(why any) {
		t.Helper()
		if os.Getenv("CI") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	s := &stranger{root: filepath.Join(temporary, "stranger")}
	for name, path := range map[string]*string{"chroot": &s.chroot, "mount": &s.mount} {
		var err error
		if *path, err = exec.LookPath(name); err != nil {
			missing(err)
		}
	}
	s.unshare = []string{"unshare", "--mount"}
	if os.Getuid() != 0 {
		s.unshare = append(s.unshare, "--user", "--map-root-user")
	}
	if _, err := command(t.Context(), ".", nil, s.unshare[0], append(s.unshare[1:], "true")...); err != nil {
		missing(err)
	}
	s.goroot, s.cache = goEnv(t, "GOROOT"), goEnv(t, "GOCACHE")
	s.downloads = moduleCache(t)
	var source string
	s.proxy, source = proxy(t)
	// Download everything that the three programs need to the module cache of this machine.
	// This includes the packages, and every go.mod file that the go command reads for a module
	// that imports the packages.
	for folder, name := range map[string]string{"": "locus", "fleet": "locus-fleet", "beam": "locus-beam"} {
		for _, args := range [][]string{{"list", "-deps", "./cmd/" + name}, {"mod", "graph"}} {
			if _, err := command(t.Context(), filepath.Join(source, folder), buildEnv(host), "go", args...); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, dir := range []string{"home", "tmp", "proxy", "downloads", "cache", "proc", "dev", s.goroot} {
		if err := os.MkdirAll(filepath.Join(s.root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeFiles(t, s.root, map[string]string{
		"dev/null": "", "dev/urandom": "", // mount points
		"etc/hosts": "127.0.0.1 localhost\n", "etc/passwd": "root:x:0:0::/home:/\n", "enter": enter,
	})
	return s
}

// goEnv returns a setting of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := command(t.Context(), ".", nil, "go", "env", name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// enter is a script that mounts the directories and runs a command within the root directory.
const enter = `
for pair in "/dev/null dev/null" "/dev/urandom dev/urandom" "/proc proc"; do
  "$MOUNT" --rbind "${pair% *}" "$ROOT/${pair#* }"
done
"$MOUNT" --rbind "$GO" "$ROOT/$GO"
"$MOUNT" --rbind "$PROXY" "$ROOT/proxy"
"$MOUNT" --rbind "$DOWNLOADS" "$ROOT/downloads"
"$MOUNT" --rbind "$CACHE" "$ROOT/cache"
cd "$ROOT/home"
program=$CHROOT root=$ROOT export PATH="$INSIDE"
unset MOUNT ROOT GO PROXY DOWNLOADS CACHE CHROOT INSIDE
exec "$program" "$root" "$@"
`

// run runs a command in the root directory, with an initially empty home directory.
func (s *stranger) run(ctx context.Context, name string, args ...string) (string, error) {
	sh := append(s.unshare[1:], "sh", "-eu", filepath.Join(s.root, "enter"), name)
	env := []string{
		"PATH=" + os.Getenv("PATH"), "INSIDE=" + s.goroot + "/bin:/home/go/bin", "HOME=/home",
		"MOUNT=" + s.mount, "CHROOT=" + s.chroot, "ROOT=" + s.root, "GO=" + s.goroot, "PROXY=" + s.proxy, "DOWNLOADS=" + s.downloads, "CACHE=" + s.cache,
		"GOPROXY=file:///proxy,file:///downloads", "GOSUMDB=off", "GOCACHE=/cache", "GOTOOLCHAIN=local",
		// The build cache may have an index of the imports of an earlier testTag.
		"GODEBUG=goindex=0",
	}
	out, err := command(ctx, ".", env, s.unshare[0], append(sh, args...)...)
	return string(out), err
}

// Another user installs the three programs with "go install", without this repository, and the
// programs work.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds three programs")
	}
	s := newStranger(t)
	must := func(name string, args ...string) string {
		t.Helper()
		out, err := s.run(t.Context(), name, args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, program := range []struct{ name, path string }{
		{"locus", rootModule + "/cmd/locus"},
		{"locus-fleet", rootModule + "/fleet/cmd/locus-fleet"},
		{"locus-beam", rootModule + "/beam/cmd/locus-beam"},
	} {
		must("go", "install", program.path+"@"+testTag)
		for _, arg := range []string{"version", "--version"} {
			if out := must(program.name, arg); !versionLine(program.name).MatchString(out) {
				t.Errorf("%s %s: %q", program.name, arg, out)
			}
		}
	}
	for stop, want := range map[string]string{"": "ftp-file", "ftp-file": "ftp://", "gopher-menu": "gopher://"} {
		if out := must("locus", append([]string{"tour"}, strings.Fields(stop)...)...); !strings.Contains(out, want) {
			t.Errorf("locus tour %s: %s", stop, out)
		}
	}
	writeFiles(t, filepath.Join(s.root, "home"), map[string]string{"a.md": "# A\n[a](#a)\n", "list": "http://h/\nHTTP://H:80\n"})
	if out := must("locus-fleet", "verify", "--all", "/home/a.md"); !strings.Contains(out, "alive") {
		t.Errorf("locus-fleet verify: %s", out)
	}
	must("locus-beam", "/home/list", "--output", "/home/unique")
	if out := read(t, filepath.Join(s.root, "home"), "unique-*"); string(out) != "http://h/\t2\n" {
		t.Errorf("locus-beam: %q", out)
	}
}

// Another user imports the libraries in a new module.
func TestGet(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	s := newStranger(t)
	writeFiles(t, filepath.Join(s.root, "home", "new"), map[string]string{
		"go.mod": "module example.test/new\n\ngo 1.26.0\n",
		"main.go": `package main

import (
	"fmt"

	"github.com/locus-url/locus"
	_ "github.com/locus-url/locus/beam/pipeline"
	_ "github.com/locus-url/locus/fleet"
)

func main() {
	u, err := locus.Parse("ftp://h.example/a%20b")
	fmt.Println(u.Scheme(), err)
}
`,
	})
	for _, args := range [][]string{
		{"get", rootModule + "@" + testTag},
		{"get", rootModule + "/fleet@latest", rootModule + "/beam/pipeline@latest"},
		{"vet", "."},
	} {
		if _, err := s.run(t.Context(), "go", append([]string{"-C", "/home/new"}, args...)...); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := s.run(t.Context(), "go", "-C", "/home/new", "run", "."); err != nil || out != "ftp <nil>\n" {
		t.Errorf("%q, %v", out, err)
	}
}
