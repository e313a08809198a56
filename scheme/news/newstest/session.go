package newstest

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
)

type session struct {
	s    *Server
	log  func(command string)
	conn net.Conn
	r    *bufio.Reader

	last     string // the current command
	verb     string // verb of the current command
	reader   bool   // whether the client has sent MODE READER
	secure   bool
	user     string
	loggedIn bool
	group    string
	current  int64
}

func (c *session) serve() {
	o := &c.s.o
	if o.Implicit {
		c.goSecure()
	}
	c.r = bufio.NewReader(c.conn)
	if o.Greeting == "" {
		c.reply("200 newstest")
	} else if c.reply("%s", o.Greeting); o.Greeting[0] != '2' {
		return
	}
	for {
		text, err := c.r.ReadString('\n')
		if err != nil {
			return
		}
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		c.log(text)
		c.last = text
		words := strings.Fields(text)
		if len(words) == 0 {
			c.reply("500 nothing was said")
		} else if !c.execute(strings.ToUpper(words[0]), words[1:]) {
			return
		}
	}
}

func (c *session) goSecure() {
	c.conn, c.secure = tls.Server(c.conn, c.s.o.TLS), true
}

// write sends text and reports whether it succeeded.
func (c *session) write(text string) bool {
	_, err := io.WriteString(c.conn, text)
	return err == nil
}

func (c *session) reply(format string, args ...any) bool {
	return c.write(fmt.Sprintf(format, args...) + "\r\n")
}

// sendBlock sends the initial line of a reply, and then text as a dot-stuffed block. It reports
// whether the connection stays open.
func (c *session) sendBlock(reply, text string) bool {
	fault := &c.s.o.Fault
	c.reply("%s", reply)
	if c.verb == fault.Endless {
		text := bytes.Repeat([]byte(fault.EndlessText), 4096/len(fault.EndlessText)+1)
		for {
			if _, err := c.conn.Write(text); err != nil {
				return false
			}
		}
	}
	n := 0
	for line := range strings.SplitAfterSeq(text, "\r\n") {
		if c.verb == fault.Drop && n == fault.DropLines {
			return false
		}
		if strings.HasPrefix(line, ".") {
			line = "." + line
		}
		if !c.write(line) {
			return false
		}
		n++
	}
	if text != "" && !strings.HasSuffix(text, "\r\n") {
		c.write("\r\n")
	}
	return c.reply(".")
}

// laterCommands lists commands that RFC 977 does not define.
var laterCommands = []string{
	"CAPABILITIES", "MODE READER", "LISTGROUP", "OVER", "XOVER", "HDR", "XHDR", "AUTHINFO USER", "AUTHINFO PASS", "STARTTLS", "LIST ACTIVE", "LIST NEWSGROUPS", "LIST OVERVIEW.FMT",
}

func (c *session) unknown(verb, both string) bool {
	list := c.s.o.Unknown
	if c.s.o.RFC977 {
		list = append(slices.Clone(list), laterCommands...)
	}
	return slices.Contains(list, verb) || slices.Contains(list, both)
}

// execute executes a command and reports whether the connection stays open.
func (c *session) execute(verb string, args []string) bool {
	both := verb
	if len(args) > 0 {
		both += " " + strings.ToUpper(args[0])
	}
	c.verb = verb
	fault := &c.s.o.Fault
	text, replaced := fault.Replies[both]
	if !replaced {
		text, replaced = fault.Replies[verb]
	}
	do, known := commands[verb]
	switch {
	case verb == fault.Silent:
		return true
	case replaced:
		return text != "" && c.write(text)
	case verb == "QUIT":
		c.reply("205 bye")
		return false
	case !known || c.unknown(verb, both):
		return c.reply("500 %s: not known here", both)
	case readerCommands[verb] && c.s.o.Transit && !c.reader:
		return c.reply("401 MODE-READER")
	case readerCommands[verb] && c.isLocked("*"):
		return c.reply("480 a login is needed")
	}
	return do(c, args)
}

// readerCommands lists commands that require MODE READER on a server with two modes.
var readerCommands = map[string]bool{
	"GROUP": true, "LISTGROUP": true, "ARTICLE": true, "HEAD": true, "BODY": true, "STAT": true,
	"OVER": true, "XOVER": true, "HDR": true, "XHDR": true,
}

var commands = map[string]func(c *session, args []string) bool{
	"CAPABILITIES": (*session).capabilities,
	"MODE":         (*session).mode,
	"GROUP":        (*session).selectGroup,
	"LISTGROUP":    (*session).listGroup,
	"ARTICLE":      (*session).sendArticle,
	"HEAD":         (*session).sendArticle,
	"BODY":         (*session).sendArticle,
	"STAT":         (*session).sendArticle,
	"OVER":         (*session).over,
	"XOVER":        (*session).over,
	"HDR":          (*session).hdr,
	"XHDR":         (*session).hdr,
	"LIST":         (*session).list,
	"AUTHINFO":     (*session).authinfo,
	"STARTTLS":     (*session).startTLS,
	"POST":         func(c *session, _ []string) bool { return c.reply("440 no posting") },
}

// isLocked reports whether a group requires a login that the session does not have.
func (c *session) isLocked(group string) bool {
	o := &c.s.o
	return slices.Contains(o.Barred, group) || !c.loggedIn && slices.Contains(o.Private, group)
}

func (c *session) capabilities([]string) bool {
	o := &c.s.o
	list := []string{"VERSION 2", "IMPLEMENTATION newstest"}
	if o.Transit && !c.reader {
		list = append(list, "IHAVE", "MODE-READER")
	} else {
		list = append(list, "READER", "OVER MSGID", "LIST ACTIVE NEWSGROUPS OVERVIEW.FMT")
	}
	if o.User != "" && !c.loggedIn {
		list = append(list, "AUTHINFO USER")
	}
	if o.TLS != nil && !c.secure {
		list = append(list, "STARTTLS")
	}
	return c.sendBlock("101 what there is", strings.Join(list, "\r\n")+"\r\n")
}

func (c *session) mode(args []string) bool {
	if len(args) != 1 || !strings.EqualFold(args[0], "READER") {
		return c.reply("501 MODE READER is the mode")
	}
	c.reader = true
	return c.reply("201 no posting")
}

func (c *session) selectGroup(args []string) bool {
	if len(args) != 1 {
		return c.reply("501 GROUP name")
	}
	g, ok := c.s.groups[args[0]]
	switch {
	case c.isLocked(args[0]):
		return c.reply("480 a login is needed for %s", args[0])
	case !ok:
		return c.reply("411 no group %s", args[0])
	}
	c.group, c.current = args[0], g.low()
	return c.reply("%s", c.groupReply())
}

func (c *session) groupReply() string {
	g := c.s.groups[c.group]
	return fmt.Sprintf("211 %d %d %d %s", g.countArticles(), g.low(), g.high(), c.group)
}

func (c *session) listGroup(args []string) bool {
	if len(args) > 0 || c.group == "" {
		return c.reply("412 no group is selected")
	}
	var b strings.Builder
	g := c.s.groups[c.group]
	for i, text := range g.Articles {
		if text != "" {
			fmt.Fprintf(&b, "%d\r\n", g.low()+int64(i))
		}
	}
	return c.sendBlock(c.groupReply(), b.String())
}

// sendArticle executes ARTICLE, HEAD, BODY or STAT.
func (c *session) sendArticle(args []string) bool {
	var group, text, id string
	var number int64
	switch {
	case len(args) == 1 && strings.HasPrefix(args[0], "<"):
		group, text = c.s.articleByID(args[0])
		if text == "" {
			return c.reply("430 no such article")
		}
	case c.group == "":
		return c.reply("412 no group is selected")
	default:
		group, number = c.group, c.current
		if len(args) == 1 {
			var err error
			if number, err = strconv.ParseInt(args[0], 10, 64); err != nil {
				return c.reply("501 a number or a message-id")
			}
		}
		if text = c.s.groups[group].article(number); text == "" {
			return c.reply("423 no article %d", number)
		}
		c.current = number
	}
	if c.isLocked(group) {
		return c.reply("480 a login is needed for %s", group)
	}
	id = header(text, "Message-ID")
	head, body, _ := strings.Cut(text, "\r\n\r\n")
	switch c.verb {
	case "STAT":
		return c.reply("223 %d %s", number, id)
	case "HEAD":
		return c.sendBlock(fmt.Sprintf("221 %d %s", number, id), head+"\r\n")
	case "BODY":
		return c.sendBlock(fmt.Sprintf("222 %d %s", number, id), body)
	}
	return c.sendBlock(fmt.Sprintf("220 %d %s", number, id), text)
}

// overviewOrder is the default order of the fields in an overview.
var overviewOrder = []string{"Subject:", "From:", "Date:", "Message-ID:", "References:", ":bytes", ":lines", "Xref:full"}

func (c *session) format() []string {
	if c.s.o.Overview != nil {
		return c.s.o.Overview
	}
	return overviewOrder
}

func (c *session) over(args []string) bool {
	if c.group == "" {
		return c.reply("412 no group is selected")
	}
	return c.sendLines("224 overview follows", args, func(b *strings.Builder, text string) {
		for _, name := range c.format() {
			b.WriteString("\t" + field(text, name))
		}
	})
}

// hdr executes HDR or XHDR.
func (c *session) hdr(args []string) bool {
	switch {
	case c.group == "":
		return c.reply("412 no group is selected")
	case len(args) == 0:
		return c.reply("501 a field")
	}
	code, none := "225", ""
	if c.verb == "XHDR" {
		code, none = "221", "(none)"
	}
	return c.sendLines(code+" fields follow", args[1:], func(b *strings.Builder, text string) {
		b.WriteString(" " + cmp.Or(field(text, args[0]+":"), none))
	})
}

// sendLines sends a reply with one line for each article in the range. Each line contains the
// article number and the text that appendContent appends.
func (c *session) sendLines(first string, args []string, appendContent func(b *strings.Builder, text string)) bool {
	from, to := c.current, c.current
	if len(args) == 1 {
		begin, end, isRange := strings.Cut(args[0], "-")
		from, _ = strconv.ParseInt(begin, 10, 64)
		if to = from; isRange {
			to, _ = strconv.ParseInt(end, 10, 64)
		}
	}
	g := c.s.groups[c.group]
	var b strings.Builder
	for number := max(from, g.low()); number <= min(to, g.high()); number++ {
		if text := g.article(number); text != "" {
			b.WriteString(strconv.FormatInt(number, 10))
			appendContent(&b, text)
			b.WriteString("\r\n")
		}
	}
	if b.Len() == 0 {
		return c.reply("423 no articles in that range")
	}
	return c.sendBlock(first, b.String())
}

// field returns a header field or metadata item of an article, in overview format.
func field(text, name string) string {
	_, body, _ := strings.Cut(text, "\r\n\r\n")
	switch strings.ToLower(strings.Trim(name, ":")) {
	case "bytes":
		return strconv.Itoa(len(text))
	case "lines":
		return strconv.Itoa(strings.Count(body, "\r\n"))
	}
	bare, suffix, _ := strings.Cut(name, ":")
	content := strings.Map(func(r rune) rune {
		if r == '\t' || r == 0 || r == '\r' || r == '\n' {
			return ' '
		}
		return r
	}, header(text, bare))
	if suffix == "full" && content != "" {
		return bare + ": " + content
	}
	return content
}

func (c *session) list(args []string) bool {
	what := "ACTIVE"
	if len(args) > 0 {
		what = strings.ToUpper(args[0])
	}
	if what == "OVERVIEW.FMT" {
		return c.sendBlock("215 order of fields", strings.Join(c.format(), "\r\n")+"\r\n")
	}
	if c.isLocked("*") {
		return c.reply("480 a login is needed")
	}
	var b strings.Builder
	for _, name := range c.s.names {
		g := c.s.groups[name]
		switch {
		case what == "ACTIVE":
			status := g.Status
			if status == "" {
				status = "y"
			}
			fmt.Fprintf(&b, "%s %d %d %s\r\n", name, g.high(), g.low(), status)
		case what == "NEWSGROUPS" && g.Description != "":
			fmt.Fprintf(&b, "%s\t%s\r\n", name, g.Description)
		}
	}
	if what != "ACTIVE" && what != "NEWSGROUPS" {
		return c.reply("503 no list of that")
	}
	return c.sendBlock("215 list follows", b.String())
}

func (c *session) authinfo(args []string) bool {
	o := &c.s.o
	switch {
	case len(args) == 0:
		return c.reply("501 AUTHINFO USER name, AUTHINFO PASS password")
	case c.loggedIn:
		return c.reply("502 once is enough")
	case o.NeedTLS && !c.secure:
		return c.reply("483 TLS is needed")
	}
	// A user or password may contain spaces or be empty.
	_, text, _ := strings.Cut(c.last, " ")
	_, text, _ = strings.Cut(text, " ")
	switch strings.ToUpper(args[0]) {
	case "USER":
		c.user = text
		return c.reply("381 and the password?")
	case "PASS":
		if c.user != o.User || text != o.Password || o.User == "" {
			return c.reply("481 wrong")
		}
		c.loggedIn = true
		return c.reply("281 welcome")
	}
	return c.reply("501 AUTHINFO USER, AUTHINFO PASS")
}

func (c *session) startTLS([]string) bool {
	if c.s.o.TLS == nil || c.secure {
		return c.reply("502 no TLS")
	}
	c.reply("382 continue")
	c.goSecure()
	c.r = bufio.NewReader(c.conn)
	c.reader, c.group, c.user = false, "", ""
	return true
}
