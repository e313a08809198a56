// Command gateway measures "locus gateway" under load, and other programs in the same run on the
// same machine. For small cached objects, it compares the gateway with a file server of package
// net/http. For a large uncached file over FTP, it compares a download by curl through the gateway
// with a direct download by curl, and with a download through a relay that only copies bytes. It
// also measures the memory that many slow or idle clients need.
//
// It builds and starts the command, a file server, the relay and vsftpd as separate processes. It
// needs curl, vsftpd, and root for vsftpd.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/locus-url/locus/bench"
)

func main() { bench.Main("gateway", run) }

type loadTest struct {
	time, slow               time.Duration
	rounds, clients, readers int
	waiting                  int
	dir                      string
	processes                []*exec.Cmd
	program                  string // path of the command
	files, gateway, ftp      string // addresses
	relay                    string // address of the relay for ftp
	pid                      int    // process ID of the gateway
}

const (
	smallSize = 4 << 10
	largeSize = 100 << 20
	line      = "0123456789abcde\n" // line that the files repeat
)

func run() {
	var b loadTest
	files := flag.String("files", "", "serve only this directory over HTTP")
	relayed := flag.String("relay", "", "only relay FTP connections to this address")
	flag.DurationVar(&b.time, "time", 3*time.Second, "length of a round")
	flag.IntVar(&b.rounds, "rounds", 5, "number of rounds")
	flag.IntVar(&b.clients, "clients", 8, "concurrent clients for small objects")
	flag.IntVar(&b.readers, "readers", 5000, "clients that read slowly")
	flag.IntVar(&b.waiting, "waiting", 10_000, "idle connections")
	loads := flag.String("loads", "small,large,through,slow,idle", "what to measure")
	flag.DurationVar(&b.slow, "slow", 30*time.Second, "how long slow clients read")
	tmp := flag.String("tmp", "", "directory for files; default: the system's temporary directory")
	flag.Parse()
	if *files != "" {
		serveFiles(*files)
	}
	if *relayed != "" {
		serveRelay(*relayed)
	}
	b.dir = bench.Must(os.MkdirTemp(*tmp, "locus-bench-"))
	defer os.RemoveAll(b.dir)
	defer func() {
		for _, p := range b.processes {
			p.Process.Signal(syscall.SIGTERM)
			p.Wait()
		}
	}()
	b.start()
	fmt.Println("| load | compared with | gateway | ratio |")
	fmt.Println("|---|---|---|---|")
	measures := map[string]func(){"small": b.small, "large": b.large, "through": b.through, "slow": b.slowly, "idle": b.idle}
	for load := range strings.SplitSeq(*loads, ",") {
		measure, ok := measures[load]
		if !ok {
			bench.Check(fmt.Errorf("unknown load %q", load))
		}
		measure()
	}
}

// serveFiles runs the file server. The gateway requests files from this server, and the benchmark
// compares the gateway with the server.
func serveFiles(dir string) {
	l := bench.Must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Println("http://" + l.Addr().String() + "/")
	files := http.FileServer(http.Dir(dir))
	bench.Check(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=100000")
		files.ServeHTTP(w, r)
	})))
}

func (b *loadTest) start() {
	bench.Check(os.Chmod(b.dir, 0o755))
	pub := filepath.Join(b.dir, "pub")
	bench.Check(os.Mkdir(pub, 0o755))
	write := func(name string, size int) {
		bench.Check(os.WriteFile(filepath.Join(pub, name), []byte(strings.Repeat(line, size/len(line))), 0o644))
	}
	for i := range 100 {
		write(fmt.Sprintf("small%02d.txt", i), smallSize)
	}
	write("large", largeSize)
	// Create several links to one file, so that each round uses a name that is not cached.
	for i := range b.rounds {
		bench.Check(os.Link(filepath.Join(pub, "large"), filepath.Join(pub, fmt.Sprintf("large%02d", i))))
	}
	b.program = filepath.Join(b.dir, "program")
	bench.BuildCommand(b.program)
	b.files, _ = b.server(bench.Must(os.Executable()), "-files", pub)
	b.startFTP(pub)
	b.relay, _ = b.server(bench.Must(os.Executable()), "-relay", b.ftp)
	_, port, _ := strings.Cut(b.files, ":")
	_, ftpPort, _ := strings.Cut(b.ftp, ":")
	b.gateway, b.pid = b.server(b.program, "gateway", "--listen", "127.0.0.1:0", "--allow-private", "--allow-port", port, "--allow-port", ftpPort,
		"--cache", filepath.Join(b.dir, "cache"), "--cache-size", "4G", "--log-format", "none")
}

// server starts a program that first prints its address.
func (b *loadTest) server(program string, args ...string) (addr string, pid int) {
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "HOME="+b.dir, "XDG_CONFIG_HOME="+b.dir)
	out := bench.Must(cmd.StdoutPipe())
	bench.Check(cmd.Start())
	b.processes = append(b.processes, cmd)
	url := bench.Must(bufio.NewReader(out).ReadString('\n'))
	return strings.Trim(strings.TrimPrefix(strings.TrimSpace(url), "http://"), "/"), cmd.Process.Pid
}

func (b *loadTest) startFTP(pub string) {
	l := bench.Must(net.Listen("tcp", "127.0.0.1:0"))
	b.ftp = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(b.ftp)
	empty := filepath.Join(b.dir, "empty")
	bench.Check(os.Mkdir(empty, 0o755))
	conf := filepath.Join(b.dir, "vsftpd.conf")
	text := "listen=YES\nlisten_address=127.0.0.1\nlisten_port=" + port + "\nbackground=NO\nanonymous_enable=YES\nanon_root=" + pub +
		"\nlocal_enable=NO\nconnect_from_port_20=NO\nseccomp_sandbox=NO\nsecure_chroot_dir=" + empty + "\n"
	bench.Check(os.WriteFile(conf, []byte(text), 0o600))
	cmd := exec.Command("vsftpd", conf)
	cmd.Stderr = os.Stderr
	bench.Check(cmd.Start())
	b.processes = append(b.processes, cmd)
	for range 200 {
		if conn, err := net.Dial("tcp", b.ftp); err == nil {
			conn.Close()
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	bench.Check(errors.New("vsftpd did not start listening"))
}

func (b *loadTest) small() {
	b.rate(b.gateway, "http://"+b.files) // fills the cache
	var c comparison
	for range b.rounds {
		c.add(b.rate(b.files, ""), b.rate(b.gateway, "http://"+b.files))
	}
	fmt.Printf("| %d objects of %d octets that are stored, %d clients | file server of net/http: %.0f a second | %.0f a second | **%.2f** |\n",
		100, smallSize, b.clients, bench.Median(c.direct), bench.Median(c.gateway), bench.Median(c.ratios))
}

type comparison struct{ direct, gateway, ratios []float64 }

func (c *comparison) add(direct, gateway float64) {
	c.direct, c.gateway, c.ratios = append(c.direct, direct), append(c.gateway, gateway), append(c.ratios, gateway/direct)
}

// rate returns the number of small objects per second that a server sends. The parameter prefix
// precedes the path of each object, because a proxy needs a complete URL.
func (b *loadTest) rate(addr, prefix string) float64 {
	var n atomic.Int64
	end := time.Now().Add(b.time)
	together(b.clients, func(i int) error {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return err
		}
		defer conn.Close()
		r := bufio.NewReaderSize(conn, 16<<10)
		for ; time.Now().Before(end); i++ {
			if _, err := fmt.Fprintf(conn, "GET %s/small%02d.txt HTTP/1.1\r\nHost: %s\r\n\r\n", prefix, i%100, b.files); err != nil {
				return err
			}
			if err := readResponse(r, smallSize); err != nil {
				return err
			}
			n.Add(1)
		}
		return nil
	})
	return float64(n.Load()) / b.time.Seconds()
}

// readResponse reads a response whose body has the given size, in bytes.
func readResponse(r *bufio.Reader, size int) error {
	status, err := readHeader(r)
	if err != nil {
		return err
	}
	if !strings.Contains(status, " 200 ") {
		return fmt.Errorf("the response is %s", status)
	}
	_, err = r.Discard(size)
	return err
}

func readHeader(r *bufio.Reader) (status string, err error) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return "", err
		}
		if status == "" {
			status = strings.TrimSpace(string(line))
		}
		if len(line) <= 2 {
			return status, nil
		}
	}
}

func together(n int, fn func(i int) error) {
	var all sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		all.Go(func() { errs[i] = fn(i) })
	}
	all.Wait()
	bench.Check(errors.Join(errs...))
}

// large downloads an uncached file over FTP with curl, directly, through the relay and through the
// gateway.
func (b *loadTest) large() {
	b.download("that are not yet stored", b.gateway)
}

// through is like the method large, but uses a gateway without a cache.
func (b *loadTest) through() {
	_, port, _ := strings.Cut(b.ftp, ":")
	addr, _ := b.server(b.program, "gateway", "--listen", "127.0.0.1:0", "--allow-private", "--allow-port", port, "--no-cache", "--log-format", "none")
	b.download("with --no-cache", addr)
}

// download measures downloads through the gateway at addr.
func (b *loadTest) download(what, addr string) {
	var c, relayed comparison
	for round := range b.rounds {
		path := fmt.Sprintf("/large%02d", round)
		direct, relay := curl("ftp://"+b.ftp+path), curl("ftp://"+b.relay+path)
		through := curl("-x", "http://"+addr, "ftp://"+b.ftp+path)
		c.add(direct, through)
		relayed.add(relay, through)
	}
	for _, row := range []struct {
		with string
		c    comparison
	}{{"only curl", c}, {"curl through a TCP relay", relayed}} {
		fmt.Printf("| %d MiB over FTP %s | %s: %.0f MB/s | curl through it: %.0f MB/s | **%.2f** |\n",
			largeSize>>20, what, row.with, bench.Median(row.c.direct), bench.Median(row.c.gateway), bench.Median(row.c.ratios))
	}
}

// serveRelay relays FTP connections to an address. It copies all bytes of the control and data
// connections, and changes only the port in the reply to EPSV (RFC 2428 section 3), so that the
// client opens the data connection to the relay. io.Copy lets the operating system move the bytes.
func serveRelay(to string) {
	l := bench.Must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Println("http://" + l.Addr().String() + "/")
	for {
		relay(bench.Must(l.Accept()), to, func(client, server net.Conn) {
			for r := bufio.NewReader(server); ; {
				reply, err := r.ReadString('\n')
				if err != nil {
					return
				}
				if before, port, ok := strings.Cut(reply, "(|||"); ok && strings.HasPrefix(reply, "229 ") {
					reply = before + "(|||" + relayData(port[:strings.IndexByte(port, '|')]) + "|)\r\n"
				}
				if _, err := io.WriteString(client, reply); err != nil {
					return
				}
			}
		})
	}
}

// relayData relays one connection to a port of this machine. It returns the port for the client.
func relayData(port string) string {
	l := bench.Must(net.Listen("tcp", "127.0.0.1:0"))
	go func() {
		defer l.Close()
		if client, err := l.Accept(); err == nil {
			relay(client, "127.0.0.1:"+port, func(client, server net.Conn) { io.Copy(client, server) })
		}
	}()
	_, own, _ := net.SplitHostPort(l.Addr().String())
	return own
}

// relay copies the client's bytes to an address, and the other direction with the function back.
func relay(client net.Conn, to string, back func(client, server net.Conn)) {
	server := bench.Must(net.Dial("tcp", to))
	go func() {
		io.Copy(server, client)
		server.(*net.TCPConn).CloseWrite()
	}()
	go func() {
		back(client, server)
		client.Close()
		server.Close()
	}()
}

func curl(args ...string) float64 {
	cmd := exec.Command("curl", append([]string{"-sS", "-o", "/dev/null", "-w", "%{size_download} %{time_total}"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stderr = os.Stderr
	var size, seconds float64
	bench.Must(fmt.Sscan(string(bench.Must(cmd.Output())), &size, &seconds))
	if size != largeSize {
		bench.Check(fmt.Errorf("curl received %.0f bytes", size))
	}
	return size / seconds / 1e6
}

// slowly starts clients that all read the same large uncached file slowly.
func (b *loadTest) slowly() {
	before := memory(b.pid, "VmRSS")
	end := time.Now().Add(b.slow)
	var began atomic.Int64
	together(b.readers, func(i int) error {
		time.Sleep(time.Duration(i) * time.Millisecond / 2)
		conn, err := net.Dial("tcp", b.gateway)
		if err != nil {
			return err
		}
		defer conn.Close()
		// Use a small buffer, because the system would otherwise buffer most of the file
		// for a slow client.
		if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(conn, "GET ftp://%s/large HTTP/1.1\r\nHost: %s\r\n\r\n", b.ftp, b.ftp); err != nil {
			return err
		}
		r := bufio.NewReaderSize(conn, 4<<10)
		status, err := readHeader(r)
		if err != nil || !strings.Contains(status, " 200 ") {
			return fmt.Errorf("%s, %w", status, err)
		}
		began.Add(1)
		// Each read returns several lines.
		for p := make([]byte, 1<<10); time.Now().Before(end); time.Sleep(time.Second) {
			if _, err := io.ReadFull(r, p); err != nil {
				return err
			}
			if string(p) != strings.Repeat(line, len(p)/len(line)) {
				return errors.New("the body differs from the file")
			}
		}
		return nil
	})
	fmt.Printf("| %d clients that each read 1 KiB a second of these | %d MiB of memory before | %d MiB at most | %d of them served |\n",
		b.readers, before>>10, memory(b.pid, "VmHWM")>>10, began.Load())
}

// memory returns the value of a field in the status file of a process, in KiB.
func memory(pid int, name string) (n int) {
	_, rest, ok := strings.Cut(string(bench.Must(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)))), "\n"+name+":")
	if !ok {
		bench.Check(fmt.Errorf("no %s in /proc/PID/status", name))
	}
	bench.Must(fmt.Sscan(rest, &n))
	return n
}

// idle starts other gateways and opens many connections that are idle before a request, within a
// request header, or after a request. It then measures how long another client waits for a
// response.
func (b *loadTest) idle() {
	b.idleAfter("that say nothing", "")
	b.idleAfter("within the head of a request", "GET /healthz HTTP/1.1\r\nHost: local")
	b.idleAfter("after a request", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

func (b *loadTest) idleAfter(what, sent string) {
	addr, pid := b.server(b.program, "gateway", "--listen", "127.0.0.1:0", "--no-cache", "--log-format", "none")
	latency(addr)
	before := memory(pid, "VmRSS")
	for range b.waiting {
		conn := bench.Must(net.Dial("tcp", addr))
		defer conn.Close()
		bench.Must(io.WriteString(conn, sent))
		if strings.HasSuffix(sent, "\n") {
			bench.Must(readHeader(bufio.NewReader(conn)))
		}
	}
	var took []time.Duration
	for range 100 {
		took = append(took, latency(addr))
	}
	slices.Sort(took)
	fmt.Printf("| %d connections %s | %d MiB of memory before | %d MiB at most | another is answered in %.1f ms, at most %.1f ms |\n",
		b.waiting, what, before>>10, memory(pid, "VmHWM")>>10, ms(took[50]), ms(took[99]))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// latency returns the time that a client with a new connection waits for a response.
func latency(addr string) time.Duration {
	begun := time.Now()
	conn := bench.Must(net.Dial("tcp", addr))
	defer conn.Close()
	bench.Must(io.WriteString(conn, "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n"))
	bench.Must(readHeader(bufio.NewReader(conn)))
	return time.Since(begun)
}
