package peers

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// squid starts Squid, an HTTP proxy that also supports ftp, gopher and tunnels. If login is true,
// Squid requires the login of the tests.
func squid(t testing.TB, login bool) (address string, log func() string) {
	t.Helper()
	program := need(t, "squid", "/usr/sbin/squid")
	dir := publicDir(t)
	access := "http_access allow localhost"
	if login {
		hash, err := exec.Command(need(t, "openssl"), "passwd", "-apr1", password).Output()
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "users"), user+":"+string(hash), 0o644)
		access = fmt.Sprintf(`auth_param basic program /usr/lib/squid/basic_ncsa_auth %s/users
auth_param basic children 1
acl members proxy_auth REQUIRED
http_access allow localhost members`, dir)
	}
	config := func(port int) string {
		return fmt.Sprintf(`http_port 127.0.0.1:%[1]d
%[3]s
http_access deny all
cache deny all
cache_mem 8 MB
cache_log %[2]s/log/cache
access_log stdio:%[2]s/log/access
pid_filename none
coredump_dir none
pinger_enable off
shutdown_lifetime 0 seconds
max_filedescriptors 1024
`, port, dir, access)
	}
	if err := os.Mkdir(filepath.Join(dir, "log"), 0o755); err != nil {
		t.Fatal(err)
	}
	// Squid drops root privileges and runs as the user proxy.
	if out, err := exec.Command("chown", "proxy", filepath.Join(dir, "log")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	port := runOnPort(t, func(port int) []string {
		write(t, filepath.Join(dir, "conf"), config(port), 0o644)
		return []string{program, "-N", "-f", filepath.Join(dir, "conf")}
	})
	return fmt.Sprintf("127.0.0.1:%d", port), func() string {
		text, err := os.ReadFile(filepath.Join(dir, "log/access"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// microsocks starts microsocks, a SOCKS proxy.
func microsocks(t testing.TB, args ...string) (address string) {
	t.Helper()
	program := need(t, "microsocks")
	port := runOnPort(t, func(port int) []string {
		return append([]string{program, "-i", "127.0.0.1", "-p", fmt.Sprint(port)}, args...)
	})
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// secured starts a TLS listener that relays to a server, and returns the port and the certificate
// file.
func secured(t *testing.T, to int) (port int, cert string) {
	t.Helper()
	cert, key := certificate(t, t.TempDir())
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	within(t, l, cert, key, to)
	return l.Addr().(*net.TCPAddr).Port, cert
}

// logged waits until the proxy has logged the text, and returns the whole log. The proxy logs an
// exchange when the exchange has ended.
func logged(t *testing.T, log func() string, text string) (all string) {
	t.Helper()
	for end := time.Now().Add(maxSession); ; time.Sleep(time.Millisecond) {
		all = log()
		if strings.Contains(all, text) {
			return all
		}
		if time.Now().After(end) {
			t.Errorf("the proxy saw:\n%s", all)
			return all
		}
	}
}

func TestHTTPProxy(t *testing.T) {
	for _, login := range []bool{false, true} {
		t.Run(fmt.Sprintf("login %v", login), func(t *testing.T) {
			proxy, log := squid(t, login)
			via := "http://" + proxy
			if login {
				via = "http://" + user + ":" + encodedPassword + "@" + proxy
			}
			web := nginx(t, `location /moved { return 302 http://10.255.255.1/; }
location /echo { default_type text/plain; return 200 "$request_uri|$http_authorization|$http_proxy_authorization"; }`)
			write(t, filepath.Join(web.pub, "text.txt"), strings.Repeat("a line of text\n", 1000), 0o644)
			write(t, filepath.Join(web.pub, "auth/secret.txt"), "for members", 0o644)
			base := "http://" + web.addr()

			t.Run("http", func(t *testing.T) {
				r := locusEnv(t, []string{"http_proxy=" + via}, "get", "-v", base+"/text.txt")
				r.want(t, 0, strings.Repeat("a line of text\n", 1000))
				r.says(t, "* "+base+"/text.txt through http://", "> GET "+base+"/text.txt HTTP/1.1")
				locusEnv(t, []string{"http_proxy=" + via}, "get", base+"/echo//a/%2e?x=%41#part").want(t, 0, "/echo//a/%2e?x=%41||")
				withUser := "http://" + user + ":" + encodedPassword + "@" + web.addr()
				locusEnv(t, []string{"http_proxy=" + via}, "get", withUser+"/auth/secret.txt").want(t, 0, "for members")
			})
			t.Run("exception", func(t *testing.T) {
				r := locusEnv(t, []string{"http_proxy=" + via, "no_proxy=127.0.0.0/8"}, "get", "-v", base+"/echo")
				r.want(t, 0, "/echo||")
				if strings.Contains(r.err, " through ") {
					t.Errorf("get -v with no_proxy wrote %q, want no proxy", r.err)
				}
			})
			t.Run("https", func(t *testing.T) {
				port, cert := secured(t, web.port)
				u := fmt.Sprintf("https://127.0.0.1:%d/echo", port)
				r := locusEnv(t, []string{"https_proxy=" + via, "SSL_CERT_FILE=" + cert}, "get", "-v", u)
				r.want(t, 0, "/echo||")
				r.says(t, " through ")
				if text := logged(t, log, fmt.Sprintf("CONNECT 127.0.0.1:%d", port)); strings.Contains(text, u) {
					t.Errorf("the proxy saw:\n%s", text)
				}
			})
			t.Run("gopher", func(t *testing.T) {
				// Debian's Squid no longer supports gopher. This test checks only
				// the request.
				u := "gopher://127.0.0.1:7070/0/a%20b.txt"
				r := locusEnv(t, []string{"gopher_proxy=" + via}, "get", "-v", u)
				r.want(t, 3, "")
				r.says(t, "> GET "+u+" HTTP/1.1", "< HTTP/1.1 501", "(through http://")
				logged(t, log, "GET "+u)
			})
			t.Run("ftp", func(t *testing.T) {
				p := vsftpd(t)
				// The file name must not have the extension of a text, because
				// Squid fetches text files in ASCII mode.
				write(t, filepath.Join(p.pub, "hello.bin"), "hello\n", 0o644)
				write(t, filepath.Join(homeOf(t), "motd.bin"), "private\n", 0o644)
				locusEnv(t, []string{"ftp_proxy=" + via}, "get", "ftp://"+p.addr()+"/hello.bin").want(t, 0, "hello\n")
				locusEnv(t, []string{"ftp_proxy=" + via}, "get", p.login()+"/motd.bin").want(t, 0, "private\n")
				page := locusEnv(t, []string{"ftp_proxy=" + via}, "get", "--json", "ftp://"+p.addr()+"/")
				if page.status != 0 || !strings.Contains(page.out, `"kind":"object","mediaType":"text/html`) {
					t.Errorf("status %d, %q", page.status, page.out)
				}
				if text := log(); strings.Contains(text, password) || strings.Contains(text, encodedPassword) {
					t.Errorf("the proxy has the password in its log:\n%s", text)
				}
			})
			t.Run("redirect to a private address", func(t *testing.T) {
				port := web.port
				r := locusEnv(t, []string{"http_proxy=" + via}, "get", fmt.Sprintf("http://localhost:%d/moved", port))
				r.want(t, 4, "")
			})
			t.Run("not found", func(t *testing.T) {
				r := locusEnv(t, []string{"http_proxy=" + via}, "get", "--json", base+"/nothing")
				if r.status != 3 || !strings.Contains(r.out, `"kind":"not-found"`) {
					t.Errorf("status %d, %q", r.status, r.out)
				}
			})
			if login {
				t.Run("refused", func(t *testing.T) {
					for _, u := range []string{base + "/echo", "https://" + web.addr() + "/"} {
						r := locusEnv(t, []string{"all_proxy=http://" + user + ":wrong@" + proxy}, "get", "--json", u)
						if r.status != 3 || !strings.Contains(r.out, `"kind":"auth"`) || !strings.Contains(r.out, "407") || strings.Contains(r.out, "wrong") {
							t.Errorf("%s: status %d, %q", u, r.status, r.out)
						}
					}
				})
			}
		})
	}
}

func TestSOCKSProxy(t *testing.T) {
	web := nginx(t, `location /echo { default_type text/plain; return 200 "$request_uri|$http_host"; }`)
	files := vsftpd(t)
	write(t, filepath.Join(files.pub, "hello.txt"), "hello\n", 0o644)
	open := microsocks(t)
	closed := microsocks(t, "-u", user, "-P", password)
	for _, via := range []string{"socks5://" + open, "socks5h://" + open, "socks5h://" + user + ":" + encodedPassword + "@" + closed} {
		env := []string{"all_proxy=" + via}
		r := locusEnv(t, env, "get", "-v", fmt.Sprintf("http://localhost:%d/echo/a%%2Fb", web.port))
		r.want(t, 0, fmt.Sprintf("/echo/a%%2Fb|localhost:%d", web.port))
		r.says(t, " through socks5")
		locusEnv(t, env, "get", "ftp://"+files.addr()+"/hello.txt").want(t, 0, "hello\n")
		locusEnv(t, env, "get", fmt.Sprintf("ftp://localhost:%d/hello.txt", files.port)).want(t, 0, "hello\n")
		port, cert := secured(t, web.port)
		locusEnv(t, append(env, "SSL_CERT_FILE="+cert), "get", fmt.Sprintf("https://127.0.0.1:%d/echo", port)).
			want(t, 0, fmt.Sprintf("/echo|127.0.0.1:%d", port))
		locusEnv(t, env, "get", "prospero://localhost/a").want(t, 3, "")
	}
	r := locusEnv(t, []string{"all_proxy=socks5h://" + user + ":wrong@" + closed}, "get", "http://"+web.addr()+"/echo")
	r.want(t, 3, "")
	r.says(t, "authentication failed")
}
