package peers

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// proFTPD starts ProFTPD behind a relay that records the data from the client.
func proFTPD(t testing.TB) *peer {
	t.Helper()
	program := need(t, unpacked("usr/sbin/proftpd"))
	dir := publicDir(t)
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "passwd"), fmt.Sprintf("%s:%s:65534:65534::%s:/bin/sh\n", user, passwordHash(t), home), 0o600)
	port := runOnPort(t, func(port int) []string {
		config := []string{
			"ServerType standalone", "DefaultAddress 127.0.0.1", "SocketBindTight on", fmt.Sprintf("Port %d", port),
			"UseIPv6 off", "UseReverseDNS off", "WtmpLog off", "User nobody", "Group nogroup",
			"PidFile " + filepath.Join(dir, "pid"), "ScoreboardFile " + filepath.Join(dir, "score"),
			"DelayTable none", "TransferLog none", "SystemLog " + filepath.Join(dir, "log"),
			"AuthPAM off", "AuthUserFile " + filepath.Join(dir, "passwd"), "AuthOrder mod_auth_file.c",
			"RequireValidShell off", "UseFtpUsers off", "AllowRetrieveRestart on",
		}
		write(t, filepath.Join(dir, "conf"), strings.Join(config, "\n")+"\n", 0o600)
		return []string{"/usr/bin/env", "LD_LIBRARY_PATH=" + unpacked("usr/lib/x86_64-linux-gnu"), program, "-n", "-q", "-c", filepath.Join(dir, "conf")}
	})
	r := startRelay(t, port)
	return &peer{port: r.port, home: home, log: r.text}
}

// inetutilsFTPD starts the ftpd of GNU inetutils for each connection.
func inetutilsFTPD(t testing.TB) *peer {
	t.Helper()
	program := need(t, unpacked("usr/sbin/ftpd"))
	if _, err := os.Stat("/etc/pam.d/ftp"); err != nil {
		missing(t, "PAM does not know ftp: .ci/peers tells it")
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	inetd(t, l, func() *exec.Cmd { return exec.Command(program, "-4") })
	r := startRelay(t, l.Addr().(*net.TCPAddr).Port)
	return &peer{port: r.port, home: homeOf(t), log: r.text}
}

// Many files in three directories that are fetched over a few connections with pipelined commands match the server's
// files byte for byte: small files, an empty file, and some files of 3 MB.
func TestManyFiles(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *peer{
		"vsftpd":    func(t testing.TB) *peer { return vsftpd(t) },
		"Pure-FTPd": pureFTPd, "ProFTPD": proFTPD, "inetutils": inetutilsFTPD,
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			random := rand.New(rand.NewPCG(7, 11))
			want := map[string][]byte{}
			args := []string{"get", "-O"}
			for i := range 40 {
				size := random.IntN(4000)
				switch {
				case i == 5:
					size = 0
				case i%13 == 12:
					size = 3 << 20
				}
				data := make([]byte, size)
				for j := range data {
					data[j] = byte(random.Uint32())
				}
				file, folder := fmt.Sprintf("file%02d", i), fmt.Sprintf("many%d", i%3)
				want[file] = data
				write(t, filepath.Join(p.home, folder, file), string(data), 0o644)
				args = append(args, p.login()+"/"+folder+"/"+file)
			}
			dir := t.TempDir()
			locusIn(t, dir, args...).want(t, 0, "")
			for file, data := range want {
				got, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s: %d octets, want %d: %v", file, len(got), len(data), err)
				}
			}
			if sessions := strings.Count(p.log(), "USER "); name != "vsftpd" && sessions > 8 {
				t.Errorf("%d sessions for %d files", sessions, len(want))
			}
		})
	}
}
