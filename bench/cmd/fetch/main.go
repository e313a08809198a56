// Command fetch measures how long "locus get -O", wget, curl and lftp take to download many small
// files from vsftpd on the same machine. The command runs the programs alternately. With the flag
// -delay, a network device delays each packet.
//
// The command needs vsftpd and the other programs. It must run as root, because vsftpd must run as
// root.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/locus-url/locus/bench"
)

func main() { bench.Main("fetch", run) }

type fixture struct {
	dir    string // directory of the server and the program
	files  string // directory in memory, if available
	url    string // URL of the directory with the files
	port   string
	number int
	size   int
	sum    [sha256.Size]byte
}

// client is a program that downloads all files to the current directory.
type client struct {
	name         string
	command      []string
	input        string
	clock, spent []float64 // seconds
}

func run() {
	w := fixture{}
	var rounds int
	var delay time.Duration
	flag.IntVar(&w.number, "files", 1000, "number of files")
	flag.IntVar(&w.size, "size", 1000, "size of a file in bytes")
	flag.IntVar(&rounds, "rounds", 5, "number of rounds")
	flag.DurationVar(&delay, "delay", 0, "round trip to the server")
	flag.StringVar(&w.files, "tmp", "/dev/shm", "directory for the files")
	program := flag.String("program", "", "path of the locus command; built if empty")
	skip := flag.String("skip", "", "clients to skip (comma-separated)")
	flag.Parse()
	w.dir = bench.Must(os.MkdirTemp("", "locus-bench-"))
	defer os.RemoveAll(w.dir)
	w.files = bench.Must(os.MkdirTemp(w.files, "locus-bench-"))
	defer os.RemoveAll(w.files)
	listen, host := "127.0.0.1", "127.0.0.1"
	if delay > 0 {
		defer slowNetwork(delay / 2)()
		listen, host = near, far
	}
	if *program == "" {
		*program = filepath.Join(w.dir, "program")
		bench.BuildCommand(*program)
	}
	w.writeFiles()
	server := w.startServer(listen, host)
	defer func() {
		syscall.Kill(-server.Process.Pid, syscall.SIGTERM) // also ends the session processes of the server
		server.Wait()
	}()
	clients := w.clients(*program, strings.Split(*skip, ","))
	for range rounds {
		for _, c := range clients {
			w.measure(c)
		}
	}
	fmt.Printf("%d files of %d octets, round trip %v, %d rounds\n\n", w.number, w.size, delay, rounds)
	fmt.Println("| client | clock | processor time | clock, of locus |")
	fmt.Println("|---|---|---|---|")
	for _, c := range clients {
		fmt.Printf("| %s | %.2f s | %.2f s | %.2f |\n", c.name, bench.Median(c.clock), bench.Median(c.spent), bench.Median(c.clock)/bench.Median(clients[0].clock))
	}
}

func (w *fixture) writeFiles() {
	folder := filepath.Join(w.dir, "pub", "many")
	bench.Check(os.MkdirAll(folder, 0o755))
	bench.Check(os.Chmod(w.dir, 0o755))
	all := sha256.New()
	for i := range w.number {
		data := bytes.Repeat([]byte(fmt.Sprintf("%07d\n", i)), w.size/8+1)[:w.size]
		all.Write(data)
		bench.Check(os.WriteFile(filepath.Join(folder, name(i)), data, 0o644))
	}
	all.Sum(w.sum[:0])
}

func name(i int) string { return fmt.Sprintf("file%05d.bin", i) }

func (w *fixture) startServer(listen, host string) *exec.Cmd {
	l := bench.Must(net.Listen("tcp", net.JoinHostPort(listen, "0")))
	_, w.port, _ = net.SplitHostPort(l.Addr().String())
	l.Close()
	w.url = "ftp://" + net.JoinHostPort(host, w.port) + "/many/"
	empty := filepath.Join(w.dir, "empty")
	bench.Check(os.Mkdir(empty, 0o755))
	conf := filepath.Join(w.dir, "vsftpd.conf")
	text := "listen=YES\nlisten_address=" + listen + "\nlisten_port=" + w.port + "\npasv_address=" + host + "\nbackground=NO\nanonymous_enable=YES\nanon_root=" + filepath.Join(w.dir, "pub") +
		"\nlocal_enable=NO\nconnect_from_port_20=NO\nseccomp_sandbox=NO\nsecure_chroot_dir=" + empty + "\n"
	bench.Check(os.WriteFile(conf, []byte(text), 0o600))
	cmd := exec.Command("vsftpd", conf)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	bench.Check(cmd.Start())
	for range 200 {
		if conn, err := net.Dial("tcp", net.JoinHostPort(listen, w.port)); err == nil {
			conn.Close()
			return cmd
		}
		time.Sleep(20 * time.Millisecond)
	}
	bench.Check(errors.New("vsftpd did not start listening"))
	return nil
}

// clients returns the installed clients. The first client is locus.
func (w *fixture) clients(program string, skip []string) (list []*client) {
	var urls, config strings.Builder
	for i := range w.number {
		fmt.Fprintln(&urls, w.url+name(i))
		fmt.Fprintf(&config, "url=%s\nremote-name\n", w.url+name(i))
	}
	server := strings.TrimSuffix(w.url, "/many/")
	for _, c := range []*client{
		{name: "locus get -O", command: []string{program, "get", "--allow-private", "--allow-port", w.port, "-O", "-"}, input: urls.String()},
		{name: "wget -r", command: []string{"wget", "-q", "-r", "-nH", "--cut-dirs=1", w.url}},
		{name: "curl -Z --parallel-max 2", command: []string{"curl", "-s", "-Z", "--parallel-max", "2", "-K", "-"}, input: config.String()},
		{name: "lftp mirror -P 2", command: []string{"lftp", "-c", "open " + server + "; mirror -P 2 /many ."}},
	} {
		skipped := false
		for _, s := range skip {
			skipped = skipped || s != "" && strings.HasPrefix(c.name, s)
		}
		if _, err := exec.LookPath(c.command[0]); err == nil && !skipped {
			list = append(list, c)
		}
	}
	return list
}

// measure runs a client once in an empty directory, and checks the files that the client wrote.
func (w *fixture) measure(c *client) {
	dir := bench.Must(os.MkdirTemp(w.files, ""))
	defer os.RemoveAll(dir)
	cmd := exec.Command(c.command[0], c.command[1:]...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(c.input)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "XDG_CONFIG_HOME=" + w.dir}
	out := new(bytes.Buffer)
	cmd.Stderr = out
	begun := time.Now()
	err := cmd.Run()
	c.clock = append(c.clock, time.Since(begun).Seconds())
	c.spent = append(c.spent, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	if err != nil {
		line, _ := bufio.NewReader(out).ReadString('\n')
		bench.Check(fmt.Errorf("%s: %w: %s", c.name, err, line))
	}
	all := sha256.New()
	for i := range w.number {
		all.Write(bench.Must(os.ReadFile(filepath.Join(dir, name(i)))))
	}
	if [sha256.Size]byte(all.Sum(nil)) != w.sum {
		bench.Check(fmt.Errorf("%s: the files differ from the files on the server", c.name))
	}
}
