package gophertest

import (
	"bufio"
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	longestLine  = 4 << 10 // maximum length of a request line in octets
	longestBlock = 1 << 20 // maximum size of the answers to a form in octets
)

type session struct {
	s    *Server
	conn net.Conn
	r    *bufio.Reader
	got  []byte // the part of the request that the session has read
}

func (s *Server) request(conn net.Conn) {
	if s.o.Secure {
		conn = tls.Server(conn, s.o.TLS)
	}
	conn.SetReadDeadline(time.Now().Add(s.o.Idle))
	c := &session{s: s, conn: conn, r: bufio.NewReaderSize(conn, longestLine+2)}
	line, err := c.readLine()
	if err != nil {
		if len(c.got) > 0 {
			s.record(&s.log, string(c.got))
		}
		return
	}
	selector, _, _ := strings.Cut(line, "\t")
	raw, ok := s.o.Raw[line]
	if !ok {
		raw, ok = s.o.Raw[selector]
	}
	if ok {
		s.record(&s.log, string(c.got))
		conn.SetReadDeadline(time.Time{})
		raw(bufferedConn{conn, c.r})
		conn.Close()
		return
	}
	reply := c.answer(line)
	s.record(&s.log, string(c.got))
	if _, err := io.WriteString(c.conn, reply.octets(&s.o)); err == nil {
		c.hangUp()
	}
}

// bufferedConn is a connection with data that was read ahead.
type bufferedConn struct {
	net.Conn
	r *bufio.Reader
}

// NetConn returns the underlying connection.
func (r bufferedConn) NetConn() net.Conn { return r.Conn }

func (r bufferedConn) Read(p []byte) (int, error) {
	if r.r.Buffered() > 0 {
		return r.r.Read(p)
	}
	return r.Conn.Read(p)
}

// hangUp closes the connection. It first reads the data that the client sends after the
// request, because the operating system might discard the reply if data is unread.
func (c *session) hangUp() {
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		c.conn.SetReadDeadline(time.Now().Add(c.s.o.Idle))
		io.CopyN(io.Discard, c.conn, longestBlock)
	}
	c.conn.Close()
}

// readLine returns the next line without its line ending, which is LF or CR LF.
func (c *session) readLine() (string, error) {
	octets, err := c.r.ReadSlice('\n')
	c.got = append(c.got, octets...)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(octets), "\n"), "\r"), nil
}

type reply struct {
	plus   bool // the reply must have a Gopher+ header
	failed bool
	text   bool // the data consists of lines
	menu   bool // the data consists of lines, and the server never doubles dots in them
	data   string
}

func (r reply) octets(o *Options) string {
	end := r.text && !o.NoDot
	length := -1
	data := r.data
	switch {
	case !r.plus:
	case o.Length == LengthClose:
		length, end = -2, false
	case o.Length == LengthExact || !r.text:
		end = false
	}
	if r.text {
		data = text(r.data, end && !r.menu)
	}
	if end {
		data += ".\r\n"
	} else if length == -1 && (o.Length == LengthExact || !r.text) {
		length = len(data)
	}
	if !r.plus {
		return data
	}
	sign := "+"
	if r.failed {
		sign = "-"
	}
	return sign + strconv.Itoa(length) + "\r\n" + data
}

// text returns the lines in data, each with CR LF at its end. If stuff is true, it doubles a
// lone dot. Like the server of the University of Minnesota, it does not double other dots.
func text(data string, stuff bool) string {
	var b strings.Builder
	for _, line := range lines(data) {
		if stuff && line == "." {
			b.WriteByte('.')
		}
		b.WriteString(line + "\r\n")
	}
	return b.String()
}

func (s *Server) refuse(message string) reply {
	return reply{text: true, menu: true, data: string(cmp.Or(s.o.ErrorType, '3')) + message + "\t\terror.host\t1\r\n"}
}

func (s *Server) fail(f Failure) reply {
	data := fmt.Sprintf("%d %s\r\n", f.Code, s.o.Admin)
	for _, line := range f.Lines {
		data += line + "\r\n"
	}
	return reply{plus: true, failed: true, text: true, data: data}
}

func (s *Server) unavailable(format string, args ...any) reply {
	return s.fail(Failure{Code: 1, Lines: []string{fmt.Sprintf(format, args...)}})
}

func (s *Server) malformed() reply { return s.unavailable("Malformed command") }

// answer reads the rest of the request after the request line, and returns the reply.
func (c *session) answer(line string) reply {
	selector, fields, more := strings.Cut(line, "\t")
	item := c.s.items[selector]
	var words, plus string
	switch {
	case !more:
	case c.s.o.Plain:
		words, _, _ = strings.Cut(fields, "\t")
	case item != nil && item.Search != nil:
		words, plus, _ = strings.Cut(fields, "\t")
	case strings.HasPrefix(fields, "\t"):
		return c.s.refuse("Malformed command")
	default:
		if plus = fields; plus == "" {
			return c.s.malformed()
		}
	}
	if plus == "" {
		return c.s.plainReply(item, selector, words)
	}
	plus, flag, hasFlag := strings.Cut(plus, "\t")
	answers, err := c.answers(flag, hasFlag)
	if err != nil || plus == "" {
		return c.s.malformed()
	}
	return c.s.plusReply(item, selector, words, plus, answers)
}

// answers reads the data block of a request, if the flag announces one. If the request has no
// data block, answers returns nil.
func (c *session) answers(flag string, hasFlag bool) ([]string, error) {
	switch {
	case !hasFlag || flag == "0":
		return nil, nil
	case flag != "1":
		return nil, errorf("flag %q", flag)
	}
	header, err := c.readLine()
	if err != nil {
		return nil, err
	}
	length, err := strconv.ParseInt(strings.TrimPrefix(header, "+"), 10, 64)
	switch {
	case err != nil || !strings.HasPrefix(header, "+") || length < -2:
		return nil, errorf("length %q", header)
	case length == -1:
		return c.dotLines()
	case length == -2:
		length = longestBlock
	case length > longestBlock:
		return nil, errorf("%d octets of answers", length)
	}
	block, err := io.ReadAll(io.LimitReader(c.r, length))
	c.got = append(c.got, block...)
	return append([]string{}, lines(string(block))...), err
}

// dotLines reads lines up to a lone dot.
func (c *session) dotLines() ([]string, error) {
	list := []string{}
	for len(c.got) < longestBlock {
		line, err := c.readLine()
		if err != nil {
			return nil, err
		}
		if line == "." {
			return list, nil
		}
		list = append(list, line)
	}
	return nil, errorf("more than %d octets of answers", longestBlock)
}

func (s *Server) plainReply(item *Item, selector, words string) reply {
	switch {
	case item == nil:
		return s.refuse(fmt.Sprintf("'%s' does not exist!!", selector))
	case item.Fail != nil:
		return s.refuse(strings.Join(item.Fail.Lines, " "))
	case item.isMenu():
		return s.menu(item.lines(words))
	case item.Reply != nil:
		return object(item.Reply(nil), item.views()[0])
	default:
		v := item.views()[0]
		return object(item.data(v), v)
	}
}

func (s *Server) plusReply(item *Item, selector, words, plus string, answers []string) reply {
	command, rest := plus[0], plus[1:]
	switch {
	case !strings.ContainsRune("+!$", rune(command)):
		return s.malformed()
	case item == nil && command == '+':
		return s.unavailable("'%s' does not exist!!", selector)
	case item == nil:
		return s.unavailable("Cannot find item information for that item")
	case item.Fail != nil:
		return s.fail(*item.Fail)
	case command == '!':
		return attributeReply(s.attributes(item, blockNames(rest)))
	case command == '$' && !item.isMenu():
		return s.unavailable("'%s' is not a menu", selector)
	case command == '$':
		return attributeReply(s.allAttributes(item.lines(words), blockNames(rest)))
	}
	v, ok := item.view(rest)
	if !ok {
		return s.unavailable("'%s' does not exist!!", selector)
	}
	r := s.viewReply(item, words, v, answers)
	r.plus = item.Search == nil || !s.o.PlainSearch
	return r
}

// viewReply returns the reply to a request for a view of an item, or the reply to the answers
// to a form.
func (s *Server) viewReply(item *Item, words string, v View, answers []string) reply {
	switch {
	case !item.isMenu():
		data := item.data(v)
		if item.Reply != nil {
			data = item.Reply(answers)
		}
		return object(data, v)
	case v.Data != "":
		return object(v.Data, v)
	case strings.EqualFold(v.Type, "application/gopher+-menu"), item.Search != nil && s.o.PlainSearch:
		return attributeReply(s.allAttributes(item.lines(words), nil))
	default:
		return s.menu(item.lines(words))
	}
}

// view returns the view with the requested media type and language. If there is none, it
// returns the first view with the media type.
func (i *Item) view(asked string) (found View, ok bool) {
	views := i.views()
	if asked == "" {
		return views[0], true
	}
	mediaType, language, _ := strings.Cut(asked, " ")
	for _, v := range views {
		switch {
		case !strings.EqualFold(v.Type, mediaType):
		case strings.EqualFold(v.Language, language):
			return v, true
		case !ok:
			found, ok = v, true
		}
	}
	return found, ok
}

// lines returns the items in a menu, or the results of a search.
func (i *Item) lines(words string) []Item {
	if i.Search == nil {
		return i.Items
	}
	items := slices.Clone(i.Search(words))
	for n := range items {
		items[n].complete(i.Selector)
	}
	return items
}

func (s *Server) menu(items []Item) reply {
	var b strings.Builder
	for i := range items {
		b.WriteString(s.line(&items[i]) + "\r\n")
	}
	return reply{text: true, menu: true, data: b.String()}
}

func (s *Server) allAttributes(items []Item, names []string) string {
	var b strings.Builder
	for i := range items {
		b.WriteString(s.attributes(&items[i], names))
	}
	return b.String()
}

func attributeReply(data string) reply { return reply{plus: true, text: true, menu: true, data: data} }

// blockNames returns the attribute names in a text such as "+VIEWS+ABSTRACT" or "+VIEWS
// +ABSTRACT".
func blockNames(asked string) []string {
	return strings.FieldsFunc(asked, func(r rune) bool { return r == '+' || r == ' ' })
}

func object(data string, v View) reply {
	kind := strings.ToLower(v.Type)
	isText := strings.HasPrefix(kind, "text/") || kind == "application/postscript" || kind == "application/mac-binhex40"
	return reply{text: isText, data: data}
}

// Echo is a function for [Item.Reply]. It returns the lines of the answers with their numbers,
// such as "1: [Anna]".
func Echo(lines []string) string {
	var b strings.Builder
	b.WriteString("Answers received:\n")
	for i, line := range lines {
		fmt.Fprintf(&b, "%d: [%s]\n", i+1, line)
	}
	return b.String()
}
