// Command gateway measures "locus gateway" under load, and other programs in the same run
// on the same machine. It compares small cached objects with a file server of package
// net/http, and a large uncached file over FTP with curl itself. It also measures the
// memory that many slow or idle clients need.
//
// It builds and starts the command, a file server and vsftpd as separate processes. It
// needs curl, vsftpd, and root for vsftpd.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/locus-url/locus/bench"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gateway: ")
	var b loadTest
	files := flag.String("files", "", "only serve this directory over HTTP")
	flag.DurationVar(&b.time, "time", 3*time.Second, "length of a round")
	flag.IntVar(&b.rounds, "rounds", 5, "number of rounds")
	flag.IntVar(&b.clients, "clients", 8, "concurrent clients for small objects")
	flag.IntVar(&b.readers, "readers", 5000, "clients that read slowly")
	flag.IntVar(&b.waiting, "waiting", 10_000, "idle connections")
	loads := flag.String("loads", "small,large,slow,idle", "what to measure")
	flag.DurationVar(&b.slow, "slow", 30*time.Second, "how long slow clients read")
	flag.StringVar(&b.tmp, "tmp", "", "directory for files; empty: the system's")
	flag.Parse()
	err := error(nil)
	if *files != "" {
		err = serveFiles(*files)
	} else {
		err = b.run(strings.Split(*loads, ","))
	}
	if err != nil {
		log.Fatal(err)
	}
}

type loadTest struct {
	time, slow               time.Duration
	rounds, clients, readers int
	waiting                  int
	tmp, dir                 string
	processes                []*exec.Cmd
	program, files, gateway  string // the command; addresses
	pid                      int    // of the gateway
	ftp                      string // address
}

const (
	smallSize = 4 << 10
	largeSize = 100 << 20
)

// serveFiles is the file server. The gateway fetches from it, and is compared with it.
func serveFiles(dir string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String() + "/")
	files := http.FileServer(http.Dir(dir))
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=100000")
		files.ServeHTTP(w, r)
	}))
}

func (b *loadTest) run(loads []string) (err error) {
	if b.dir, err = os.MkdirTemp(b.tmp, "locus-bench-"); err != nil {
		return err
	}
	defer func() {
		for _, p := range b.processes {
			p.Process.Signal(syscall.SIGTERM)
			p.Wait()
		}
		err = errors.Join(err, os.RemoveAll(b.dir))
	}()
	if err := b.start(); err != nil {
		return err
	}
	fmt.Println("| load | beside | gateway | ratio |")
	fmt.Println("|---|---|---|---|")
	for _, load := range loads {
		switch load {
		case "small":
			err = b.small()
		case "large":
			err = b.large()
		case "slow":
			err = b.slowly()
		case "idle":
			err = b.idle()
		default:
			err = fmt.Errorf("unknown load %q", load)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// start makes the files and starts the servers.
func (b *loadTest) start() error {
	if err := os.Chmod(b.dir, 0o755); err != nil {
		return err
	}
	pub := filepath.Join(b.dir, "pub")
	if err := os.Mkdir(pub, 0o755); err != nil {
		return err
	}
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(pub, fmt.Sprintf("small%02d.txt", i)), []byte(strings.Repeat("0123456789abcde\n", smallSize/16)), 0o644); err != nil {
			return err
		}
	}
	large := []byte(strings.Repeat("0123456789abcde\n", largeSize/16))
	if err := os.WriteFile(filepath.Join(pub, "large"), large, 0o644); err != nil {
		return err
	}
	// Links to one file, so that each round has a name that is not cached.
	for i := range b.rounds {
		if err := os.Link(filepath.Join(pub, "large"), filepath.Join(pub, fmt.Sprintf("large%02d", i))); err != nil {
			return err
		}
	}
	b.program = filepath.Join(b.dir, "program")
	build := exec.Command("go", "build", "-o", b.program, "github.com/locus-url/locus/cmd/locus")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if b.files, _, err = b.server(self, "-files", pub); err != nil {
		return err
	}
	if err := b.startFTP(pub); err != nil {
		return err
	}
	_, port, _ := strings.Cut(b.files, ":")
	_, ftpPort, _ := strings.Cut(b.ftp, ":")
	b.gateway, b.pid, err = b.server(b.program, "gateway", "--listen", "127.0.0.1:0", "--allow-private", "--allow-port", port, "--allow-port", ftpPort,
		"--cache", filepath.Join(b.dir, "cache"), "--cache-size", "4G", "--log-format", "none")
	return err
}

// server starts a program that prints its address first.
func (b *loadTest) server(program string, args ...string) (addr string, pid int, err error) {
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "HOME="+b.dir, "XDG_CONFIG_HOME="+b.dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", 0, err
	}
	if err := cmd.Start(); err != nil {
		return "", 0, err
	}
	b.processes = append(b.processes, cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", program, err)
	}
	return strings.Trim(strings.TrimPrefix(strings.TrimSpace(line), "http://"), "/"), cmd.Process.Pid, nil
}

func (b *loadTest) startFTP(pub string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b.ftp = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(b.ftp)
	empty := filepath.Join(b.dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		return err
	}
	conf := filepath.Join(b.dir, "vsftpd.conf")
	text := "listen=YES\nlisten_address=127.0.0.1\nlisten_port=" + port + "\nbackground=NO\nanonymous_enable=YES\nanon_root=" + pub +
		"\nlocal_enable=NO\nconnect_from_port_20=NO\nseccomp_sandbox=NO\nsecure_chroot_dir=" + empty + "\n"
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		return err
	}
	cmd := exec.Command("vsftpd", conf)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	b.processes = append(b.processes, cmd)
	for range 200 {
		if conn, err := net.Dial("tcp", b.ftp); err == nil {
			conn.Close()
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("vsftpd does not listen")
}

// small requests small objects from the file server and from the gateway, which caches
// them in the first round.
func (b *loadTest) small() error {
	var direct, stored, ratios []float64
	for round := range b.rounds + 1 {
		d, err := b.rate(b.files, "")
		if err != nil {
			return err
		}
		s, err := b.rate(b.gateway, "http://"+b.files)
		if err != nil {
			return err
		}
		if round > 0 { // the first round fills the cache
			direct, stored, ratios = append(direct, d), append(stored, s), append(ratios, s/d)
		}
	}
	fmt.Printf("| %d objects of %d octets that are stored, %d clients | file server of net/http: %.0f a second | %.0f a second | **%.2f** |\n",
		100, smallSize, b.clients, bench.Median(direct), bench.Median(stored), bench.Median(ratios))
	return nil
}

// rate returns how many small objects a second a server sends. prefix is put before
// their paths: a proxy needs a whole URL.
func (b *loadTest) rate(addr, prefix string) (float64, error) {
	var n atomic.Int64
	end := time.Now().Add(b.time)
	err := together(b.clients, func(i int) error {
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
	return float64(n.Load()) / b.time.Seconds(), err
}

// readResponse reads a response with a body of size octets.
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

// together runs fn in n goroutines.
func together(n int, fn func(i int) error) error {
	var all sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		all.Go(func() { errs[i] = fn(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// large gets a file over FTP with curl, directly and through the gateway, which has not
// cached it.
func (b *loadTest) large() error {
	var direct, through, ratios []float64
	for round := range b.rounds {
		url := fmt.Sprintf("ftp://%s/large%02d", b.ftp, round)
		d, err := curl(url)
		if err != nil {
			return err
		}
		t, err := curl("-x", "http://"+b.gateway, url)
		if err != nil {
			return err
		}
		direct, through, ratios = append(direct, d), append(through, t), append(ratios, t/d)
	}
	fmt.Printf("| %d MiB over FTP that are not stored | only curl: %.0f MB/s | curl through it: %.0f MB/s | **%.2f** |\n",
		largeSize>>20, bench.Median(direct), bench.Median(through), bench.Median(ratios))
	return nil
}

// curl returns the speed of curl in MB/s.
func curl(args ...string) (float64, error) {
	cmd := exec.Command("curl", append([]string{"-sS", "-o", "/dev/null", "-w", "%{size_download} %{time_total}"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, err
	}
	var size, seconds float64
	if _, err := fmt.Sscan(string(out), &size, &seconds); err != nil {
		return 0, err
	}
	if size != largeSize {
		return 0, fmt.Errorf("curl got %.0f octets", size)
	}
	return size / seconds / 1e6, nil
}

// slowly starts clients that all read the same large uncached file, a little each second.
func (b *loadTest) slowly() error {
	before, err := b.memory("VmRSS")
	if err != nil {
		return err
	}
	url := "ftp://" + b.ftp + "/large"
	end := time.Now().Add(b.slow)
	var began atomic.Int64
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error { return narrow(c) }}
	err = together(b.readers, func(i int) error {
		time.Sleep(time.Duration(i) * time.Millisecond / 2)
		conn, err := dialer.Dial("tcp", b.gateway)
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", url, b.ftp); err != nil {
			return err
		}
		r := bufio.NewReaderSize(conn, 4<<10)
		status, err := readHeader(r)
		if err != nil || !strings.Contains(status, " 200 ") {
			return fmt.Errorf("%s, %w", status, err)
		}
		for at := 0; time.Now().Before(end); {
			p := make([]byte, 1<<10)
			n, err := io.ReadFull(r, p)
			if err != nil {
				return err
			}
			if at == 0 {
				began.Add(1)
			}
			for j, c := range p[:n] {
				if c != "0123456789abcde\n"[(at+j)%16] {
					return fmt.Errorf("octet %d is another", at+j)
				}
			}
			at += n
			time.Sleep(time.Second)
		}
		return nil
	})
	if err != nil {
		return err
	}
	peak, err := b.memory("VmHWM")
	if err != nil {
		return err
	}
	fmt.Printf("| %d clients that each read 1 KiB a second of these | %d MiB of memory before | %d MiB at most | %d of them served |\n", b.readers, before>>10, peak>>10, began.Load())
	return nil
}

// narrow makes the receive buffer small. Otherwise the system would buffer most of the
// file for a slow client.
func narrow(c syscall.RawConn) (err error) {
	control := c.Control(func(fd uintptr) { err = setReadBuffer(fd, 4<<10) })
	return errors.Join(control, err)
}

// memory returns a field of the status of the gateway's process, in KiB.
func (b *loadTest) memory(name string) (n int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			_, err := fmt.Sscan(rest, &n)
			return n, err
		}
	}
	return 0, fmt.Errorf("there is no %s", name)
}
