package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// TestAwait checks that a command waits two minutes for unavailable servers, and reports each
// reason once. A worker must wait without a limit. Any other error must end the wait at once.
func TestAwait(t *testing.T) {
	lost := accessError{temporaryError{errors.New("nothing answers")}}
	other := accessError{temporaryError{errors.New("no leader")}}
	for name, c := range map[string]struct {
		forever bool
		errs    func(passed time.Duration) error
		least   time.Duration
		want    error
		notes   string
	}{
		"at once": {errs: func(time.Duration) error { return nil }},
		"refused": {errs: func(time.Duration) error { return accessError{errors.New("login")} }, want: errors.New("login")},
		"later": {
			errs: func(passed time.Duration) error {
				switch {
				case passed < time.Minute:
					return lost
				case passed < 90*time.Second:
					return other
				}
				return nil
			}, least: 90 * time.Second, notes: "locus: nothing answers; retrying for 2m0s\nlocus: no leader; retrying for 2m0s\nlocus: the NATS server responds\n",
		},
		"never": {errs: func(time.Duration) error { return lost }, least: startRetryTime, want: lost, notes: "locus: nothing answers; retrying for 2m0s\n"},
		"after days": {
			forever: true, errs: func(passed time.Duration) error {
				if passed < 48*time.Hour {
					return lost
				}
				return nil
			}, least: 48 * time.Hour, notes: "locus: nothing answers; retrying until it succeeds\nlocus: the NATS server responds\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var errOut strings.Builder
				cmd := &command{a: base.New(t.Context(), strings.NewReader(""), new(strings.Builder), &errOut, clitest.NoEnv), forever: c.forever}
				begin := time.Now()
				_, err := await(t.Context(), cmd, func() (int, error) { return 0, c.errs(time.Since(begin)) })
				passed := time.Since(begin)
				if fmt.Sprint(err) != fmt.Sprint(c.want) || passed < c.least || passed > c.least+2*startPause || errOut.String() != c.notes {
					t.Errorf("%v after %s\n%s", err, passed, errOut.String())
				}
			})
		})
	}
}

// TestTemporaryErrors checks that commands wait only for servers that may become available.
func TestTemporaryErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		away bool
		want string
	}{
		{nats.ErrNoServers, true, "no NATS server responds at"},
		{&net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}, true, "no such host"},
		{&net.OpError{Op: "dial", Err: errors.New("network is unreachable")}, true, "network is unreachable"},
		{nats.ErrAuthorization, false, "rejected the login"},
		{nats.ErrSecureConnWanted, false, "does not use TLS"},
		{errGreeting, false, "is not a NATS server"},
		{&net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")}, false, "bad certificate"},
	} {
		if err := connectError("h", c.err); errors.As(err, new(temporaryError)) != c.away || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.err, err)
		}
	}
	for _, c := range []struct {
		err  error
		away bool
		want string
	}{
		{&jetstream.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"}, true, "has no JetStream leader"},
		{&jetstream.APIError{Code: 500, ErrorCode: 10118, Description: "stream is offline"}, true, "has no JetStream leader"},
		{&jetstream.APIError{Code: 503, ErrorCode: 10023, Description: "insufficient resources"}, true, "has no space left"},
		{context.DeadlineExceeded, true, "does not respond"},
		{nats.ErrTimeout, true, "does not respond"},
		{nats.ErrNoResponders, false, "has no JetStream for this user"},
		{jetstream.ErrJetStreamNotEnabled, false, "has no JetStream for this user"},
		{&jetstream.APIError{Code: 500, ErrorCode: 10074, Description: "replicas > 1 not supported in non-clustered mode"}, false, "replicas > 1"},
	} {
		err := new(command).explain("default", fmt.Errorf("the stream x: %w", c.err))
		if errors.As(err, new(temporaryError)) != c.away || !strings.Contains(err.Error(), c.want) || c.away && strings.Contains(err.Error(), "err_code") {
			t.Errorf("%v: %v", c.err, err)
		}
	}
}

// waitingCommands holds commands that were started before their servers respond.
type waitingCommands struct {
	worker, ui, results, status *process
}

func startWaiting(t *testing.T, url, why string) *waitingCommands {
	x := &waitingCommands{
		start(t, "worker", "--listen", "127.0.0.1:0", "--nats", url), start(t, "ui", "--listen", "127.0.0.1:0", "--nats", url),
		start(t, "results", "--nats", url), start(t, "status", "--nats", url),
	}
	for _, p := range []*process{x.worker, x.ui, x.results, x.status} {
		p.awaitRetryNote(t, why)
	}
	return x
}

// awaitWork waits until the commands do their work, and then ends them.
func (x *waitingCommands) awaitWork(t *testing.T) {
	metrics, page := x.worker.servedURL(t)+"metrics", x.ui.servedURL(t)
	eventually(t, "no leases", func() bool {
		_, text := getPage(t, metrics)
		return strings.Contains(text, "locus_fleet_partitions 4\n")
	})
	eventually(t, "no page", func() bool {
		status, _ := getPage(t, page)
		return status == 200
	})
	x.results.awaitEnd(t, base.StatusDone)
	x.status.awaitEnd(t, base.StatusDone)
	if out := x.status.out.String(); !strings.Contains(out, "frontier      default (run)") {
		t.Error(out)
	}
	for _, p := range []*process{x.worker, x.ui} {
		p.interrupt()
		p.awaitEnd(t, base.StatusInterrupted)
	}
	noLeftConnections(t)
}

// TestStartBeforeServer checks that commands that are started before their server wait for the
// server and write a note.
func TestStartBeforeServer(t *testing.T) {
	dir := t.TempDir()
	s, url := startNATS(t, &natsserver.Options{JetStream: true, StoreDir: dir})
	if status, _, errOut := run(t, "create", "--partitions", "4", "--nats", url); status != base.StatusDone {
		t.Fatal(errOut)
	}
	port := s.Addr().(*net.TCPAddr).Port
	s.Shutdown()
	s.WaitForShutdown()
	x := startWaiting(t, url, "no NATS server responds at")
	startNATS(t, &natsserver.Options{JetStream: true, StoreDir: dir, Port: port})
	x.awaitWork(t)
}

// TestStartWithoutQuorum checks that commands wait for the servers and write a note if most
// servers of the cluster are down.
func TestStartWithoutQuorum(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster twice")
	}
	dir := t.TempDir()
	var ports []int
	var routes []string
	for range 6 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		l.Close()
	}
	for _, port := range ports[3:] {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", port))
	}
	var servers [3]*natsserver.Server
	begin := func(i int) (at string) {
		servers[i], at = startNATS(t, &natsserver.Options{
			ServerName: fmt.Sprint("s", i), Port: ports[i], JetStream: true, StoreDir: filepath.Join(dir, fmt.Sprint(i)),
			Cluster: natsserver.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: ports[3+i]}, Routes: natsserver.RoutesFromStr(strings.Join(routes, ",")),
		})
		return at
	}
	url := begin(0)
	// At this time, most servers are still missing, so there is no leader.
	making := start(t, "create", "--partitions", "4", "--replicas", "3", "--nats", url)
	making.awaitRetryNote(t, "has no JetStream leader")
	begin(1)
	begin(2)
	making.awaitEnd(t, base.StatusDone)
	for _, s := range servers[1:] {
		s.Shutdown()
		s.WaitForShutdown()
	}
	x := startWaiting(t, url, "the NATS server ")
	begin(1)
	begin(2)
	x.awaitWork(t)
}

// TestStatusWaits checks that a running command also waits if the server becomes silent.
func TestStatusWaits(t *testing.T) {
	s, url := startNATS(t, &natsserver.Options{JetStream: true, StoreDir: t.TempDir()})
	if status, _, errOut := run(t, "create", "--nats", url); status != base.StatusDone {
		t.Fatal(errOut)
	}
	for _, name := range []string{"status", "pause"} {
		// The server receives no more data after the frontier is open.
		silent := relay(t, s.Addr(), func(said string) bool { return strings.Count(said, "STREAM.INFO.KV_locus-default-hosts") >= 2 })
		start(t, name, "--nats", silent).awaitWaitNote(t, "the NATS server does not respond")
	}
}
