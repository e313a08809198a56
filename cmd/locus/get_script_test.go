package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// The scripts of testdata/get have servers: HTTP and FTP in their environment
// are host and port.
func TestGetScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/get",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               startServers,
		Condition: func(name string) (bool, error) {
			if name != "root" {
				return false, fmt.Errorf("no condition %q", name)
			}
			return os.Geteuid() == 0, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":   status,
			"examples": examples,
			"await":    await,
			"ftplog":   ftpLog,
		},
	})
}

// await FILE N waits until a file has N octets.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE N")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if info, err := os.Stat(ts.MkAbs(args[0])); err == nil && info.Size() == n {
			return
		}
	}
	ts.Fatalf("%s has no %d octets", args[0], n)
}

// ftpLog TEXT... makes sure that commands went to the FTP server, in this order
// and perhaps with others between them; with "!", that none of them did.
func ftpLog(ts *testscript.TestScript, neg bool, args []string) {
	log := slices.Concat(ts.Value(ftpKey{}).(*ftptest.Server).Log()...)
	rest := log
	for _, want := range args {
		i := slices.Index(rest, want)
		if neg == (i >= 0) {
			ts.Fatalf("%q: the server's log is %q", want, log)
		}
		if !neg {
			rest = rest[i+1:]
		}
	}
}

type ftpKey struct{}

func startServers(env *testscript.Env) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: &site{cut: map[string]bool{}}}
	served := make(chan error)
	go func() { served <- server.Serve(l) }()
	env.Defer(func() {
		server.Close()
		<-served
	})
	files := ftptest.Files{
		"pub/hello.txt":    {Data: "hello\n"},
		"pub/big.bin":      {Data: string(pattern)},
		"pub/a b;c%#.txt":  {Data: "odd\n"},
		"pub/deep/one.txt": {Data: "1\n"},
		"pub/deep/two.txt": {Data: "2\n"},
		"home/motd":        {Data: "private\n"},
	}
	ftp, err := ftptest.Start(files, &ftptest.Options{
		User: "fred", Password: "s3cret", Home: "home",
		Fault: ftptest.Fault{Cut: 200_000, Cuts: 1},
	})
	if err != nil {
		return err
	}
	env.Defer(func() { ftp.Close() })
	env.Values[ftpKey{}] = ftp
	env.Setenv("HTTP", l.Addr().String())
	env.Setenv("FTP", ftp.Addr())
	env.Setenv("HOME", env.WorkDir)
	return nil
}

// pattern is 300,000 octets of which no two parts are the same.
var pattern = func() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 300_000; i++ {
		fmt.Fprintf(&b, "%09d\n", i)
	}
	return b.Bytes()
}()

// site is an HTTP server with troubles, one for each path.
type site struct {
	mu  sync.Mutex
	cut map[string]bool // the paths that were asked for
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	again := s.cut[r.URL.Path]
	s.cut[r.URL.Path] = true
	s.mu.Unlock()
	data, tag := pattern, `"1"`
	path, name := r.URL.Path, r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch {
	case strings.HasPrefix(path, "/none"):
		http.NotFound(w, r)
		return
	case path == "/moved":
		http.Redirect(w, r, "/hello.txt", http.StatusFound)
		return
	case strings.HasPrefix(path, "/hello"):
		data = []byte("hello\n")
	case strings.HasPrefix(path, "/name/"):
		data = []byte(name + "\n")
	case strings.HasPrefix(path, "/long"):
		w.Header().Set("Content-Length", strconv.Itoa(len(data)+1))
		w.Write(data)
		return
	case strings.HasPrefix(path, "/cut") && !again:
		s.begin(w, tag, 200_000)
		panic(http.ErrAbortHandler)
	case strings.HasPrefix(path, "/slow") && !again:
		s.begin(w, tag, 200_000)
		<-r.Context().Done()
		return
	case strings.HasPrefix(path, "/changes") && !again:
		s.begin(w, `"0"`, 200_000)
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("ETag", tag)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// begin sends n octets of an answer that has more.
func (s *site) begin(w http.ResponseWriter, tag string, n int) {
	w.Header().Set("ETag", tag)
	w.Header().Set("Content-Length", strconv.Itoa(len(pattern)))
	w.Write(pattern[:n])
	http.NewResponseController(w).Flush()
}
