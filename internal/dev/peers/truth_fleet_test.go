package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// buildFleet builds locus-fleet, a module of its own.
func buildFleet(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "locus-fleet")
	if out, err := exec.Command("go", "build", "-C", "../../../fleet", "-o", program, "./cmd/locus-fleet").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

var (
	ownPort   = regexp.MustCompile(`127\.0\.0\.1:\d+->`)
	anyDetail = regexp.MustCompile(`"detail":"(?:[^"\\]|\\.)*",`)
)

// comparable returns the lines of --json in order, without what may differ between a fleet and
// one process: the port of a connection, and how a server was late. In a fleet, the limit of an
// answer includes the wait for turns, and is longer. So a silent server first meets the limit
// of a silence, and one that sends a byte a second none.
func comparable(out string, servers truthServers) (list []string) {
	for line := range strings.Lines(out) {
		line = ownPort.ReplaceAllString(line, "->")
		for _, late := range []string{"{web}/mute", "{silent}/", "{raw}/drip"} {
			name, path, _ := strings.Cut(late[1:], "}")
			if strings.Contains(line, fmt.Sprintf(`"url":"http://%s%s"`, servers[name], path)) {
				line = anyDetail.ReplaceAllString(line, "")
			}
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// TestTruthFleet compares the lines of "locus-fleet verify --json" about the links whose state
// is known with those of "locus verify --json". Their order may differ: a page of a site comes
// when it was read.
func TestTruthFleet(t *testing.T) {
	long(t)
	fleet := buildFleet(t)
	servers, docs, trust := startTruth(t)
	list := readTruth(t, servers)
	index := docs.fill(servers["docs"], list)
	// A server that fails at first does so for each User-Agent.
	flags := append(truthFlags(servers), "--all", "--moved", index, "--user-agent")
	cmd := command(t.TempDir(), append([]string{"verify"}, append(slices.Clone(flags), "truth-fleet")...)...)
	cmd.Path, cmd.Env = fleet, append(cmd.Env, "SSL_CERT_FILE="+trust)
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // unless it has ended
	one := locusEnv(t, []string{"SSL_CERT_FILE=" + trust}, append([]string{"verify", "--no-cache"}, append(flags, "truth-one")...)...)
	_ = cmd.Wait() // its status is compared
	if status := cmd.ProcessState.ExitCode(); status != one.status || errOut.String() != one.err {
		t.Errorf("status %d and messages %q, want %d and %q", status, clip(errOut.String()), one.status, clip(one.err))
	}
	got, want := comparable(out.String(), servers), comparable(one.out, servers)
	if len(want) < 2*len(list) { // the index has a link to each document
		t.Errorf("%d lines about %d links", len(want), len(list))
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	for _, line := range got {
		if _, same := slices.BinarySearch(want, line); !same {
			t.Errorf("only by the fleet: %s", line)
		}
	}
	for _, line := range want {
		if _, same := slices.BinarySearch(got, line); !same {
			t.Errorf("only by one process: %s", line)
		}
	}
}
