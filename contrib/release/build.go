package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// target identifies an operating system and a processor architecture by their Go names.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// name is the file name of the program.
func (t target) name() string {
	if t.os == "windows" {
		return "locus.exe"
	}
	return "locus"
}

// targets lists the systems for which a release contains programs.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
	{"freebsd", "amd64"}, {"freebsd", "arm64"},
}

// targetList is the value of the flag --only.
type targetList []target

func (l *targetList) String() string { return fmt.Sprint([]target(*l)) }

// Set implements [flag.Value].
func (l *targetList) Set(text string) error {
	system, arch, _ := strings.Cut(text, "/")
	t := target{system, arch}
	if !slices.Contains(targets, t) {
		return fmt.Errorf("no release for it; there are %v", targets)
	}
	if !slices.Contains(*l, t) {
		*l = append(*l, t)
	}
	return nil
}

func (l targetList) orAll() []target {
	if len(l) == 0 {
		return targets
	}
	return l
}

// binary is a compiled program.
type binary struct {
	target
	octets []byte
	info   *debug.BuildInfo
}

func (b binary) version() string { return b.info.Main.Version }

// build builds the program for the target t. The go command stores the version from the Git tag in
// the program.
func (r *repository) build(ctx context.Context, work string, t target) (binary, error) {
	name := filepath.Join(work, t.os+"-"+t.arch, t.name())
	args := []string{"build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", name, "./cmd/locus"}
	if _, err := command(ctx, r.dir, buildEnv(t), "go", args...); err != nil {
		return binary{}, err
	}
	octets, err := os.ReadFile(name)
	if err != nil {
		return binary{}, err
	}
	info, err := buildinfo.Read(bytes.NewReader(octets))
	if err != nil {
		return binary{}, err
	}
	b := binary{t, octets, info}
	if !strings.HasPrefix(b.version(), "v") {
		return binary{}, fmt.Errorf("the go command finds no version in %s; build in a clone, not in a worktree of git", r.dir)
	}
	if r.tag != "" && b.version() != r.tag {
		return binary{}, fmt.Errorf("the program says that it is %q, but the tag is %s", b.version(), r.tag)
	}
	return b, nil
}

// buildEnv returns the environment for "go build". It omits all variables of this process that
// could change the compiled program.
func buildEnv(t target) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "GO") && !slices.Contains(placesOfGo, name) || strings.HasPrefix(name, "CGO_")
	})
	return append(env, "GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off", "GOFIPS140=off", "LC_ALL=C")
}

// placesOfGo lists the environment variables that configure the directories, caches and proxies of
// the go command.
var placesOfGo = []string{
	"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB", "GOINSECURE",
	"GOROOT", "GOTMPDIR", "GOTOOLCHAIN", "GOVCS", "GOENV", "GOMAXPROCS",
}

// host is the target that describes this machine.
var host = target{runtime.GOOS, runtime.GOARCH}
