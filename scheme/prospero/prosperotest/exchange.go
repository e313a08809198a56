package prosperotest

import (
	"slices"
	"strings"
	"time"
)

// exchange is a client's message and the server's reply. The server executes the commands in a
// message in order, until a command fails.
type exchange struct {
	s    *Server
	dir  string // argument of the last DIRECTORY command
	out  []byte
	wait time.Duration
}

// run executes the commands in the message and writes the reply to x.out.
func (x *exchange) run(message string) {
	for more := true; more && message != ""; {
		line, rest, ok := cutLine(message)
		if !ok {
			x.malformed("Read Prospero message with an unterminated quote")
			return
		}
		message = rest
		tokens, ok := split(line)
		if !ok {
			x.malformed("Read Prospero message with an empty line.")
			return
		}
		more = x.command(line, tokens)
	}
}

// The next three methods write the last line of the reply and return false.

func (x *exchange) malformed(why string) bool {
	return x.end("ERROR Malformed input line: " + string(appendToken(nil, why)) + "\n")
}

func (x *exchange) fail(text string) bool { return x.end("FAILURE " + text + "\n") }

func (x *exchange) end(line string) bool {
	x.out = append(x.out, line...)
	return false
}

func (x *exchange) nothing() bool {
	x.out = append(x.out, "NONE-FOUND\n"...)
	return true
}

// command executes one command. It reports whether to execute the next command.
func (x *exchange) command(line string, words []string) bool {
	switch verb := words[0]; {
	case verb == "VERSION":
		return x.version(words)
	case verb == "AUTHENTICATE" || verb == "SELECT":
		return true
	case verb == "DIRECTORY" && len(words) >= 3 && words[1] == "ASCII":
		x.dir = words[2]
		return true
	case verb == "LIST" && len(words) == 3 && words[2] == "COMPONENTS":
		return x.list(strings.Contains(words[1], "ATTRIBUTES"))
	case verb == "GET-OBJECT-INFO" && len(words) >= 4 && words[2] == "ASCII":
		return x.info(words[3], strings.Split(words[1], "+"))
	case slices.Contains([]string{"DIRECTORY", "LIST", "GET-OBJECT-INFO"}, verb):
		return x.malformed(line)
	default:
		return x.end("ERROR Unknown message: " + line + "\n")
	}
}

func (x *exchange) version(words []string) bool {
	switch {
	case len(words) == 1:
		x.out = append(x.out, "VERSION 5 "...)
		x.out = append(appendToken(x.out, x.s.software), '\n')
		return true
	case len(words[1]) == 1 && "2" <= words[1] && words[1] <= "5":
		return true
	default:
		return x.end("VERSION-NOT-SUPPORTED TRY 1-5") // like the original server's reply, this reply has no line end
	}
}

// found returns the object with the given hsoname. If the result is nil, the reply contains the
// error. If the name is unknown, the error in the reply is the argument missing.
func (x *exchange) found(hsoname, missing string) *Object {
	o := x.s.object(hsoname)
	switch {
	case !x.s.inReach(hsoname):
		x.fail("NOT-AUTHORIZED")
		return nil
	case o == nil:
		x.fail(missing)
		return nil
	}
	x.wait = max(x.wait, o.Wait)
	if o.Fail != "" {
		x.fail(o.Fail)
		return nil
	}
	return o
}

func (x *exchange) forward(to *Link) bool {
	x.out = append(x.out, "FORWARDED "...)
	x.out = append(x.s.appendTarget(x.out, "", to), '\n')
	return false
}

func (x *exchange) info(hsoname string, names []string) bool {
	if x.s.isArchie(hsoname) {
		return x.nothing()
	}
	o := x.found(hsoname, "NOT-FOUND")
	switch {
	case o == nil:
		return false
	case o.Moved != nil:
		return x.forward(o.Moved)
	}
	before := len(x.out)
	if x.out = x.s.appendInfo(x.out, o, names); len(x.out) == before {
		return x.nothing()
	}
	return true
}

// appendInfo appends the attributes of the object o with the given names. If names is nil,
// appendInfo appends all attributes except the contents.
func (s *Server) appendInfo(dst []byte, o *Object, names []string) []byte {
	wanted := func(name string) bool { return names == nil || slices.Contains(names, name) }
	list := slices.Concat(o.Attributes, o.intrinsic())
	if !o.isDirectory() {
		for _, m := range s.methods(o) {
			list = append(list, intrinsic("ACCESS-METHOD", m...))
		}
	}
	if names != nil && !o.isDirectory() && !o.NoContents {
		list = append(list, intrinsic("CONTENTS", "DATA", o.Data))
	}
	for _, a := range list {
		if wanted(a.Name) {
			dst = s.appendAttribute(dst, 0, a.of("OBJECT"))
		}
	}
	return dst
}

func (x *exchange) list(attributes bool) bool {
	links, ok := x.links(x.dir)
	switch {
	case !ok:
		return false
	case len(links) == 0:
		return x.nothing()
	}
	for i := range links {
		x.out = x.s.appendLine(x.out, x.dir, &links[i], attributes)
	}
	return true
}

// links returns the links of a directory, or of the result of a query. If ok is false, the reply
// contains the error.
func (x *exchange) links(dir string) (list []Link, ok bool) {
	if x.s.isArchie(dir) {
		return x.archie(dir)
	}
	o := x.found(dir, "NOT-A-DIRECTORY")
	switch {
	case o == nil:
		return nil, false
	case o.Moved != nil:
		return nil, x.forward(o.Moved)
	case !o.isDirectory():
		return nil, x.fail("NOT-A-DIRECTORY")
	}
	return o.Links, true
}
