package fleet

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/verify"
)

// childConfig is the configuration of a child process of a test.
type childConfig struct {
	Kind string // server, worker or hosts

	Name    string
	Dir     string // data directory of a server
	Port    int
	Cluster int
	Routes  []int

	URL    string // URLs of the servers, for a worker
	Hosts  string // address of the process with the hosts, for a worker
	Offset time.Duration
}

// runChild is the main function of a child process.
func runChild(text string) int {
	var c childConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return 2
	}
	err := error(nil)
	switch c.Kind {
	case "hosts":
		return runHosts()
	case "server":
		err = runServer(&c)
	case "worker":
		err = runWorker(&c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, c.Name+":", err)
		return 1
	}
	return 0
}

func runServer(c *childConfig) error {
	var routes []string
	for _, port := range c.Routes {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", port))
	}
	s, err := server.NewServer(&server.Options{
		ServerName: c.Name, Host: "127.0.0.1", Port: c.Port, JetStream: true, StoreDir: c.Dir, JetStreamMaxStore: 4 << 30, JetStreamMaxMemory: 1 << 28,
		NoSigs: true, NoLog: os.Getenv("LOCUS_FLEET_LOG") == "", LogFile: filepath.Join(c.Dir, "log"), MaxPayload: maxMessage,
		Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: c.Cluster, NoAdvertise: true},
		Routes:  server.RoutesFromStr(strings.Join(routes, ",")),
	})
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	s.Start()
	fmt.Println("started")
	awaitEnd()
	s.Shutdown()
	return nil
}

// offsetClock is a clock with a constant error.
type offsetClock struct {
	SystemClock
	by time.Duration
}

func (c offsetClock) Now() time.Time { return time.Now().Add(c.by) }

// Settings of the test with faults.
const (
	faultAtOnce     = 2
	faultInterval   = 100 * time.Millisecond
	faultParallel   = 24
	faultPartitions = 32
)

func faultOptions() verify.Options {
	return verify.Options{Politeness: access.Politeness{PerHost: faultAtOnce, Interval: faultInterval, Parallel: faultParallel, Wait: 200 * time.Millisecond}, Reserved: true}
}

// faultClient returns a function that creates clients. The clients connect to one address for all
// hosts.
func faultClient(hosts, name string) NewClient {
	w := &fixture{}
	return func(check func(locus.URL) error, wrap func(Dial) Dial) (*access.Client, func(), error) {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", hosts)
		}
		return w.clientWith(&access.Options{Lookup: w.lookup, Dial: wrap(dial), Check: check, UserAgent: name})
	}
}

func runWorker(c *childConfig) error {
	nc, err := nats.Connect(c.URL, nats.MaxReconnects(-1), nats.ReconnectWait(200*time.Millisecond), nats.RetryOnFailedConnect(true), nats.PingInterval(2*time.Second))
	if err != nil {
		return err
	}
	defer nc.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { awaitEnd(); cancel() }()
	f, err := tryQuietly(ctx, func() (*Frontier, error) { return OpenFrontier(ctx, nc, "default", Settings{}) })
	if ctx.Err() != nil {
		return json.NewEncoder(os.Stdout).Encode(Counts{}) // the test ended before the frontier was open
	}
	if err != nil {
		return err
	}
	w := NewWorker(f, WorkerOptions{Client: faultClient(c.Hosts, c.Name), Verify: faultOptions(), Clock: offsetClock{by: c.Offset}, Note: func(text string) {
		fmt.Fprintln(os.Stderr, time.Now().Format("05.000"), c.Name+":", text)
	}})
	err = w.Run(ctx)
	_ = json.NewEncoder(os.Stdout).Encode(w.Counts())
	return err
}

// child is a child process. It exits when its input ends, which is at the end of the test or
// earlier.
type child struct {
	testing.TB
	config childConfig
	cmd    *exec.Cmd
	input  io.Closer
	lines  *bufio.Reader
}

// spawn starts a child process.
func spawn(t testing.TB, c childConfig) *child {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LOCUS_FLEET_CHILD="+string(text))
	cmd.Stderr = os.Stderr
	// If the test is killed, a stopped process does not notice the end of its input.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &child{t, c, cmd, input, bufio.NewReader(output)}
}

func (c *child) line() string {
	c.Helper()
	text, err := c.lines.ReadString('\n')
	if err != nil {
		c.Fatalf("%s %s: %v", c.config.Kind, c.config.Name, err)
	}
	return strings.TrimSpace(text)
}

func (c *child) signal(s syscall.Signal) {
	c.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.Errorf("%s: %v", c.config.Name, err)
	}
}

// kill kills the process with SIGKILL.
func (c *child) kill() {
	c.Helper()
	c.signal(syscall.SIGKILL)
	_ = c.cmd.Wait()
	c.input.Close()
}

// finish lets the process exit, and returns the last line of its output.
func (c *child) finish() string {
	c.Helper()
	c.input.Close()
	text, _ := c.lines.ReadString('\n')
	if err := c.cmd.Wait(); err != nil {
		c.Errorf("%s: %v", c.config.Name, err)
	}
	return text
}

// freePorts returns n free TCP ports.
func freePorts(t testing.TB, n int) (list []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		list = append(list, l.Addr().(*net.TCPAddr).Port)
	}
	return list
}

// cluster is a cluster of three server processes.
type cluster struct {
	testing.TB
	servers [3]*child
	configs [3]childConfig
	relays  [3]*relay
}

func newCluster(t testing.TB, dir func(i int) string) *cluster {
	t.Helper()
	ports := freePorts(t, 6)
	c := &cluster{TB: t}
	for i := range c.servers {
		c.configs[i] = childConfig{Kind: "server", Name: fmt.Sprint("server", i), Dir: dir(i), Port: ports[i], Cluster: ports[3+i], Routes: ports[3:]}
		c.relays[i] = newRelay(t, fmt.Sprintf("127.0.0.1:%d", ports[i]))
		c.start(i)
	}
	return c
}

func (c *cluster) start(i int) {
	c.servers[i] = spawn(c, c.configs[i])
	c.servers[i].line()
}

// url returns the URLs of all servers.
func (c *cluster) url() string {
	var list []string
	for _, one := range c.configs {
		list = append(list, fmt.Sprintf("nats://127.0.0.1:%d", one.Port))
	}
	return strings.Join(list, ",")
}

// relayed returns the URLs of the relays of all servers.
func (c *cluster) relayed() string {
	var list []string
	for _, one := range c.relays {
		list = append(list, "nats://"+one.listener.Addr().String())
	}
	return strings.Join(list, ",")
}

// awaitReplicas waits until all servers have all messages.
func (c *cluster) awaitReplicas(ctx context.Context, f *Frontier) {
	c.Helper()
	names := []string{f.stream(targetStream), f.stream(verdictStream), f.stream(linkStream), "KV_" + f.stream("leases"), "KV_" + f.stream("hosts")}
	last := ""
	for ctx.Err() == nil {
		behind := ""
		for _, name := range names {
			s, err := f.js.Stream(context.WithoutCancel(ctx), name)
			if err != nil || s.CachedInfo().Cluster == nil || len(s.CachedInfo().Cluster.Replicas) != 2 {
				behind = fmt.Sprint(name, " ", err)
				break
			}
			for _, r := range s.CachedInfo().Cluster.Replicas {
				if !r.Current || r.Offline {
					behind = name + " at " + r.Name
				}
			}
		}
		if behind == "" {
			return
		}
		if behind != last {
			c.Log("waiting for ", behind)
			last = behind
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// leader returns the number of the server that leads the verdict stream.
func (c *cluster) leader(ctx context.Context, f *Frontier) int {
	for ctx.Err() == nil {
		s, err := f.js.Stream(context.WithoutCancel(ctx), f.stream(verdictStream))
		if err == nil && s.CachedInfo().Cluster != nil {
			for i := range c.configs {
				if c.configs[i].Name == s.CachedInfo().Cluster.Leader {
					return i
				}
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return 0
}

// relay copies data between clients and a server. While the gate is locked, the relay copies
// nothing.
type relay struct {
	listener net.Listener
	gate     sync.RWMutex // locked for writing while the relay copies nothing
	running  sync.WaitGroup
	mu       sync.Mutex
	conns    []net.Conn
}

func newRelay(t testing.TB, address string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: l}
	r.running.Go(func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", address)
			if err != nil {
				a.Close()
				continue
			}
			r.mu.Lock()
			r.conns = append(r.conns, a, b)
			r.mu.Unlock()
			r.running.Go(func() { r.copy(a, b) })
			r.running.Go(func() { r.copy(b, a) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		r.mu.Lock()
		for _, c := range r.conns {
			c.Close()
		}
		r.mu.Unlock()
		r.running.Wait()
	})
	return r
}

func (r *relay) copy(dst, src net.Conn) {
	defer dst.Close()
	defer src.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := src.Read(b)
		r.gate.RLock()
		_, writeErr := dst.Write(b[:n])
		r.gate.RUnlock()
		if err != nil || writeErr != nil {
			return
		}
	}
}

// visits returns the request log of the hosts.
func visits(t testing.TB, hosts string) (log []visit) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+hosts+"/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "control"
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for one := range bytes.Lines(text) {
		var v visit
		if err := json.Unmarshal(one, &v); err != nil {
			t.Fatal(err)
		}
		log = append(log, v)
	}
	return log
}
