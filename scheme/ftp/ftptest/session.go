package ftptest

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// wait is the timeout for a data connection.
const wait = time.Minute

// session is the server's side of one control connection.
type session struct {
	s    *Server
	log  func(command string)
	conn net.Conn
	r    *bufio.Reader

	user     string
	loggedIn bool
	home     string
	dir      string
	typed    string
	rest     int64
	private  bool // the client has sent PROT P
	done     int  // number of transfers
	data     func() (net.Conn, error)
	drop     func() // closes the listener that the function data uses, if any
}

func newSession(s *Server, c net.Conn, log func(command string)) *session {
	return &session{s: s, log: log, conn: c, typed: "A", home: "/", dir: "/", drop: func() {}}
}

func (c *session) serve() {
	defer func() { c.drop() }()
	if c.s.o.Implicit {
		c.conn = tls.Server(c.conn, c.s.o.TLS)
	}
	c.r = bufio.NewReader(c.conn)
	greeting := c.s.o.Greeting
	if greeting == "" {
		greeting = "220 ftptest\r\n"
	}
	c.write(greeting)
	for {
		text, err := c.r.ReadString('\n')
		if err != nil {
			return
		}
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		c.log(text)
		verb, argument, _ := strings.Cut(text, " ")
		if !c.command(strings.ToUpper(verb), argument) {
			return
		}
	}
}

func (c *session) write(text string) { io.WriteString(c.conn, text) }

func (c *session) reply(format string, args ...any) { c.write(fmt.Sprintf(format, args...) + "\r\n") }

// command executes a command, and reports whether the connection stays open.
func (c *session) command(verb, argument string) bool {
	fault := &c.s.o.Fault
	text, replaced := fault.Replies[verb]
	switch {
	case verb == fault.Endless:
		for {
			if _, err := io.WriteString(c.conn, "211-and so on\r\n"); err != nil {
				return false
			}
		}
	case replaced:
		c.write(text)
		return text != ""
	case verb == "QUIT":
		c.reply("221 Goodbye.")
		return false
	case slices.Contains(c.s.o.Unknown, verb):
		c.reply("500 %s: not known here", verb)
		return true
	}
	if before, ok := beforeLogin[verb]; ok {
		before(c, argument)
		return true
	}
	after, ok := afterLogin[verb]
	switch {
	case !ok:
		c.reply("500 %s: not known here", verb)
	case !c.loggedIn:
		c.reply("530 Please login with USER and PASS.")
	default:
		after(c, argument)
	}
	if fault.Idle > 0 && c.done >= fault.Idle {
		c.write(fault.Farewell)
		return false
	}
	return true
}

var beforeLogin = map[string]func(c *session, argument string){
	"USER": (*session).userName,
	"PASS": (*session).password,
	"AUTH": (*session).auth,
	"PBSZ": func(c *session, _ string) { c.reply("200 PBSZ=0") },
	"PROT": (*session).prot,
	"FEAT": (*session).feat,
	"NOOP": func(c *session, _ string) { c.reply("200 Nothing done.") },
	"SYST": func(c *session, _ string) { c.reply("215 UNIX Type: L8") },
}

var afterLogin = map[string]func(c *session, argument string){
	"CWD":  (*session).cwd,
	"CDUP": func(c *session, _ string) { c.cwd("..") },
	"PWD":  func(c *session, _ string) { c.reply("257 %q is the current directory.", c.dir) },
	"TYPE": (*session).setType,
	"EPSV": (*session).epsv,
	"PASV": (*session).pasv,
	"EPRT": (*session).eprt,
	"PORT": (*session).port,
	"SIZE": (*session).size,
	"MDTM": (*session).mdtm,
	"REST": (*session).restart,
	"RETR": (*session).retrieve,
	"NLST": (*session).nlst,
	"LIST": (*session).list,
	"MLSD": (*session).mlsd,
	"ABOR": func(c *session, _ string) { c.reply("226 Nothing to abort.") },
	"DELE": func(c *session, _ string) { c.reply("550 Nothing is deleted here.") },
}

func (c *session) userName(name string) {
	c.user, c.loggedIn = name, false
	if c.s.o.NoPassword {
		c.login()
		return
	}
	c.reply("331 Please specify the password.")
}

func (c *session) password(password string) {
	o := &c.s.o
	switch {
	case c.user == o.User && o.User != "" && password == o.Password:
		c.home = resolve("/", o.Home)
		c.login()
	case (c.user == "anonymous" || c.user == "ftp") && !o.NoAnonymous:
		c.login()
	default:
		c.reply("530 Login incorrect.")
	}
}

func (c *session) login() {
	c.loggedIn, c.dir = true, c.home
	c.reply("230 Login successful.")
}

func (c *session) auth(what string) {
	if c.s.o.TLS == nil || c.s.o.Implicit || strings.ToUpper(what) != "TLS" {
		c.reply("502 AUTH %s: not known here", what)
		return
	}
	c.reply("234 Proceed.")
	c.conn = tls.Server(c.conn, c.s.o.TLS)
	c.r = bufio.NewReader(c.conn)
}

func (c *session) prot(level string) {
	if c.s.o.TLS == nil || level != "P" && level != "C" {
		c.reply("536 PROT %s: not here", level)
		return
	}
	c.private = level == "P"
	c.reply("200 Protection level %s.", level)
}

func (c *session) feat(string) {
	var b strings.Builder
	b.WriteString("211-Features:\r\n")
	for _, f := range []string{"EPRT", "EPSV", "MDTM", "REST STREAM", "SIZE", "TVFS"} {
		b.WriteString(" " + f + "\r\n")
	}
	if !slices.Contains(c.s.o.Unknown, "MLSD") {
		b.WriteString(" MLST type*;size*;modify*;perm*;\r\n")
	}
	c.write(b.String() + "211 End\r\n")
}

func (c *session) cwd(argument string) {
	if argument == "" {
		switch c.s.o.EmptyCWD {
		case EmptyRefuse:
			c.reply("550 Failed to change directory.")
			return
		case EmptyHome:
			c.dir = c.home
		case EmptyRoot:
			c.dir = "/"
		case EmptyStay:
		}
		c.reply("250 Directory is %q.", c.dir)
		return
	}
	dir := resolve(c.dir, argument)
	if !c.s.isDir(dir) {
		c.reply("550 Failed to change directory.")
		return
	}
	c.dir = dir
	c.reply("250 Directory is %q.", c.dir)
}

func (c *session) setType(argument string) {
	switch code := strings.ToUpper(argument); code {
	case "A", "A N", "I", "L 8":
		c.typed = code[:1]
		c.reply("200 Type is %s.", code)
	default:
		c.reply("504 TYPE %s: not here", argument)
	}
}

// listen opens a free port, on which the session will accept the client's data connection.
func (c *session) listen() (uint16, error) {
	c.drop()
	host, _, err := net.SplitHostPort(c.conn.LocalAddr().String())
	if err != nil {
		return 0, err
	}
	l, err := c.s.o.ListenData("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	if !c.s.group.Track(l) {
		return 0, net.ErrClosed
	}
	c.drop = func() { c.s.group.Forget(l) }
	c.data = func() (net.Conn, error) {
		defer c.s.group.Forget(l)
		if l, ok := l.(interface{ SetDeadline(time.Time) error }); ok {
			l.SetDeadline(time.Now().Add(wait))
		}
		return l.Accept()
	}
	return uint16(l.Addr().(*net.TCPAddr).Port), nil
}

func (c *session) epsv(string) {
	if port, err := c.listen(); err != nil {
		c.reply("425 %v", err)
	} else {
		c.reply("229 Entering Extended Passive Mode (|||%d|)", port)
	}
}

func (c *session) pasv(string) {
	port, err := c.listen()
	if err != nil {
		c.reply("425 %v", err)
		return
	}
	host := "127,0,0,1"
	if c.s.o.LyingPASV {
		host = "192,0,2,1"
	}
	c.reply("227 Entering Passive Mode (%s,%d,%d).", host, port>>8, port&0xFF)
}

// connect sets up an active data connection. It permits only the client's own host.
func (c *session) connect(host, port string) {
	c.drop()
	c.drop = func() {}
	far, _, _ := net.SplitHostPort(c.conn.RemoteAddr().String())
	if host != far {
		c.reply("501 That is not where you are.")
		return
	}
	c.data = func() (net.Conn, error) { return net.DialTimeout("tcp", net.JoinHostPort(host, port), wait) }
	c.reply("200 As you say.")
}

func (c *session) eprt(argument string) {
	if parts := strings.Split(argument, "|"); len(parts) == 5 {
		c.connect(parts[2], parts[3])
		return
	}
	c.reply("501 EPRT |1|address|port|")
}

func (c *session) port(argument string) {
	n := strings.Split(argument, ",")
	if len(n) != 6 {
		c.reply("501 PORT h1,h2,h3,h4,p1,p2")
		return
	}
	high, _ := strconv.Atoi(n[4])
	low, _ := strconv.Atoi(n[5])
	c.connect(strings.Join(n[:4], "."), strconv.Itoa(high<<8|low))
}

func (c *session) size(name string) {
	f, ok := c.s.file(resolve(c.dir, name))
	switch {
	case !ok:
		c.reply("550 Could not get file size.")
	case c.typed == "A":
		c.reply("550 SIZE not allowed in ASCII mode")
	default:
		c.reply("213 %d", f.size())
	}
}

const timeVal = "20060102150405"

func (c *session) mdtm(name string) {
	if f, ok := c.s.file(resolve(c.dir, name)); ok {
		c.reply("213 %s", f.modTime().Format(timeVal))
		return
	}
	c.reply("550 Could not get file modification time.")
}

func (c *session) restart(argument string) {
	n, err := strconv.ParseInt(argument, 10, 64)
	if err != nil || n < 0 || c.typed == "A" {
		c.reply("501 REST %s: not here", argument)
		return
	}
	c.rest = n
	c.reply("350 Restart position accepted (%d).", n)
}

func (c *session) retrieve(name string) {
	offset := c.rest
	c.rest = 0
	f, ok := c.s.file(resolve(c.dir, name))
	if !ok || name == "" {
		c.reply("550 Failed to open file.")
		return
	}
	c.send(func(w io.Writer) error {
		if c.typed == "A" {
			w = lineEnds{w}
		}
		_, err := io.Copy(w, f.open(offset))
		return err
	})
}

// lineEnds writes CR LF for each LF, as type A requires.
type lineEnds struct{ w io.Writer }

func (l lineEnds) Write(p []byte) (int, error) {
	if _, err := l.w.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (c *session) listing(verb, argument string, text func(e entry) string) {
	p := resolve(c.dir, argument)
	_, isFile := c.s.file(p)
	if !isFile && !c.s.isDir(p) {
		c.reply("550 No such file or directory.")
		return
	}
	lines, made := c.s.o.Fault.Listings[verb]
	if !made {
		var list []string
		for _, e := range c.s.entries(p) {
			list = append(list, text(e))
		}
		if isFile {
			list = append(list, argument)
		}
		lines = slices.Values(list)
	}
	c.send(func(w io.Writer) error {
		for line := range lines {
			if _, err := io.WriteString(w, line+"\r\n"); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *session) nlst(argument string) {
	prefix := ""
	if argument != "" {
		prefix = strings.TrimSuffix(argument, "/") + "/"
	}
	c.listing("NLST", argument, func(e entry) string { return prefix + e.name })
}

func (c *session) list(argument string) {
	c.listing("LIST", argument, func(e entry) string {
		mode := "-rw-r--r--"
		if e.dir {
			mode = "drwxr-xr-x"
		}
		return fmt.Sprintf("%s    1 ftp      ftp      %8d %s %s", mode, e.file.size(), e.file.modTime().Format("Jan _2  2006"), e.name)
	})
}

func (c *session) mlsd(argument string) {
	c.listing("MLSD", argument, func(e entry) string {
		if e.dir {
			return "type=dir;perm=el; " + e.name
		}
		return fmt.Sprintf("type=file;size=%d;modify=%s;perm=r; %s", e.file.size(), e.file.modTime().Format(timeVal), e.name)
	})
}

// send opens the data connection and sends data over it.
func (c *session) send(write func(w io.Writer) error) {
	open := c.data
	c.data = nil
	if open == nil {
		c.reply("425 Use PASV or PORT first.")
		return
	}
	conn, err := open()
	if err != nil {
		c.reply("425 Failed to establish connection.")
		return
	}
	if !c.s.group.Track(conn) {
		return
	}
	defer c.s.group.Forget(conn)
	c.reply("150 Here comes the data.")
	var w io.WriteCloser = conn
	if c.private {
		secure := tls.Server(conn, c.s.o.TLS)
		if err := secure.Handshake(); err != nil || c.s.o.Reuse && !secure.ConnectionState().DidResume {
			c.reply("522 SSL connection failed; session reuse required.")
			return
		}
		w = secure
	}
	limited := &cutter{w: w, left: -1}
	if c.s.cut() {
		limited.left = c.s.o.Fault.Cut
	}
	buffered := bufio.NewWriterSize(limited, 64<<10)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	w.Close()
	c.done++
	if err != nil && !c.s.o.Fault.SilentCut {
		c.reply("426 Failure writing network stream.")
		return
	}
	c.reply("226 Transfer complete.")
}

// cutter is a writer that fails after it has written left bytes. If left is negative, it does
// not fail.
type cutter struct {
	w    io.Writer
	left int64
}

func (c *cutter) Write(p []byte) (int, error) {
	if c.left < 0 {
		return c.w.Write(p)
	}
	if int64(len(p)) <= c.left {
		c.left -= int64(len(p))
		return c.w.Write(p)
	}
	n, err := c.w.Write(p[:c.left])
	c.left = 0
	if err == nil {
		err = errCut
	}
	return n, err
}
