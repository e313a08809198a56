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

// buildFleet builds locus-fleet, which is in a separate module.
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

// comparable returns the sorted lines of the JSON output, without the details that may differ
// between a fleet and one process. These details are the port of a connection and the kind of
// timeout. In a fleet, the response timeout is longer, because it includes the wait for a request
// slot. For a silent server, the idle timeout therefore comes first. A server that sends one byte
// per second reaches no timeout.
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

// TestTruthFleet compares the output of "locus-fleet verify --json" with the output of "locus
// verify --json" for the links whose state is known. The order of the lines may differ, because
// each run reports a page when it has read the page.
func TestTruthFleet(t *testing.T) {
	long(t)
	fleet := buildFleet(t)
	servers, docs, trust := startTruth(t)
	list := readTruth(t, servers)
	index := docs.fill(servers["docs"], list)
	// A server that fails only at first counts the attempts of each User-Agent separately.
	flags := append(truthFlags(servers), "--all", "--moved", index, "--user-agent")
	cmd := command(t.TempDir(), append([]string{"verify"}, append(slices.Clone(flags), "truth-fleet")...)...)
	cmd.Path, cmd.Env = fleet, append(cmd.Env, "SSL_CERT_FILE="+trust)
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // the process may have ended
	one := locusEnv(t, []string{"SSL_CERT_FILE=" + trust}, append([]string{"verify", "--no-cache"}, append(flags, "truth-one")...)...)
	_ = cmd.Wait() // the comparison includes the exit status
	if status := cmd.ProcessState.ExitCode(); status != one.status || errOut.String() != one.err {
		t.Errorf("status %d and messages %q, want %d and %q", status, clip(errOut.String()), one.status, clip(one.err))
	}
	got, want := comparable(out.String(), servers), comparable(one.out, servers)
	if len(want) < 2*len(list) { // the index also contains a link to each document
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
