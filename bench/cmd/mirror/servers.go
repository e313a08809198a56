package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/locus-url/locus/bench"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

func freePort() int {
	l := bench.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// start starts a server and waits until it responds.
func start(port int, program string, args ...string) (end func()) {
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	bench.Check(cmd.Start())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			c.Close()
			break
		}
		if time.Now().After(deadline) {
			bench.Check(err)
		}
	}
	return func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // also ends the session processes of the server
		cmd.Wait()
	}
}

func ftpClients(dir, program string, t *tree) (p *protocol, end func()) {
	port := freePort()
	empty := filepath.Join(dir, "empty")
	bench.Check(os.MkdirAll(empty, 0o755))
	name := filepath.Join(dir, "vsftpd.conf")
	bench.Check(os.WriteFile(name, fmt.Appendf(nil, "listen=YES\nlisten_address=127.0.0.1\nlisten_port=%d\nbackground=NO\nanonymous_enable=YES\nanon_root=%s\nno_anon_password=YES\nsecure_chroot_dir=%s\n", port, t.dir, empty), 0o600))
	end = start(port, "vsftpd", name)
	root := fmt.Sprintf("ftp://127.0.0.1:%d/", port)
	var urls []string
	for _, f := range t.files {
		urls = append(urls, root+f)
	}
	lftp := func(parallel int) []string {
		return []string{"lftp", "-c", fmt.Sprintf("set ftp:ssl-allow no; set net:limit-rate 0; open %s; mirror -P %d / to", root, parallel)}
	}
	return &protocol{fmt.Sprintf("FTP, %d files", len(t.files)), installed(
		&client{name: "locus mirror", command: []string{program, "mirror", "--quiet", root}, again: []bench.Process{}},
		&client{name: "wget -r -N", command: []string{"wget", "-q", "-r", "-N", "-l", "inf", root}, again: []bench.Process{}},
		&client{name: "lftp mirror", command: lftp(1), again: []bench.Process{}},
		&client{name: "lftp mirror -P 2", command: lftp(2), again: []bench.Process{}},
		&client{name: "curl -Z --parallel-max 2, a list of all URLs", command: []string{"curl", "-sS", "-Z", "--parallel-max", "2", "-K", "-"}, input: config(urls)},
	)}, end
}

func httpClients(dir, program string, t *tree) (p *protocol, end func()) {
	port := freePort()
	name := filepath.Join(dir, "nginx.conf")
	temporary := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += fmt.Sprintf("%s_temp_path %s/%s;\n", kind, dir, kind)
	}
	bench.Check(os.WriteFile(name, fmt.Appendf(nil, "daemon off;\npid %s/pid;\nerror_log stderr;\nevents {}\nhttp {\ntypes { text/html html; }\naccess_log off;\n%sserver {\nlisten 127.0.0.1:%d;\nroot %s;\nkeepalive_requests 100000;\n}\n}\n", dir, temporary, port, t.dir), 0o644))
	end = start(port, "nginx", "-c", name)
	root := fmt.Sprintf("http://127.0.0.1:%d/", port)
	var urls []string
	for _, f := range t.files {
		urls = append(urls, root+f)
	}
	return &protocol{fmt.Sprintf("HTTP, %d pages", len(t.files)), installed(
		&client{name: "locus mirror", command: []string{program, "mirror", "--quiet", root}, again: []bench.Process{}},
		&client{name: "wget -r -N", command: []string{"wget", "-q", "-r", "-N", "-l", "inf", root}, again: []bench.Process{}},
		&client{name: "curl -Z --parallel-max 2, a list of all URLs", command: []string{"curl", "-sS", "-Z", "--parallel-max", "2", "-K", "-"}, input: config(urls)},
	)}, end
}

func gopherClients(program string, items int) (p *protocol, end func()) {
	root := gophertest.Item{Name: "root"}
	for i := range items {
		name := fmt.Sprintf("item%05d.txt", i)
		root.Items = append(root.Items, gophertest.Item{Type: '0', Name: name, Selector: "/" + name, Data: "Some text, as there is.\n"})
	}
	s := bench.Must(gophertest.Start(root, &gophertest.Options{Plain: true}))
	var urls []string
	for _, i := range root.Items {
		urls = append(urls, "gopher://"+s.Addr()+"/0"+i.Selector)
	}
	return &protocol{fmt.Sprintf("Gopher, %d items", items), installed(
		&client{name: "locus mirror", command: []string{program, "mirror", "--quiet", "gopher://" + s.Addr() + "/"}, again: []bench.Process{}},
		&client{name: "locus mirror, one at a time", command: []string{program, "mirror", "--quiet", "--per-host", "1", "gopher://" + s.Addr() + "/"}, again: []bench.Process{}},
		&client{name: "curl, one after another, a list of all URLs", command: []string{"curl", "-sS", "-K", "-"}, input: config(urls)},
	)}, func() { s.Close() }
}
