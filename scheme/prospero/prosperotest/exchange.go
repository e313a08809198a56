package prosperotest

import (
	"slices"
	"strings"
	"time"
)

// exchange is a client's message and the reply to it. Commands run in order until one
// fails.
type exchange struct {
	s    *Server
	rest string // unread lines
	old  bool   // version 1
	dir  string // of the last DIRECTORY
	out  []byte
	wait time.Duration
}

// run runs the message's commands and leaves the reply in x.out.
func (x *exchange) run(message string) {
	x.rest = message
	for x.rest != "" {
		line, tokens, ok := x.next()
		if !ok || !x.command(line, tokens) {
			return
		}
	}
}

// next returns the next line and its tokens. If it returns false, the reply has the
// error.
func (x *exchange) next() (line string, tokens []token, ok bool) {
	if x.old {
		line, x.rest, _ = strings.Cut(x.rest, "\n")
		for word := range strings.FieldsSeq(line) {
			tokens = append(tokens, token{Text: word})
		}
		return line, tokens, tokens != nil
	}
	line, x.rest, ok = cutLine(x.rest)
	if !ok {
		return "", nil, x.malformed("Read Prospero message with an unterminated quote")
	}
	if tokens, ok = split(line); !ok {
		return "", nil, x.malformed("Read Prospero message with an empty line.")
	}
	return line, tokens, true
}

// The next three end the exchange with a line and return false.

func (x *exchange) malformed(why string) bool {
	return x.end("ERROR Malformed input line: " + string(appendToken(nil, why)) + "\n")
}

func (x *exchange) fail(text string) bool { return x.end("FAILURE " + text + "\n") }

func (x *exchange) end(line string) bool {
	x.out = append(x.out, line...)
	return false
}

// nothing replies that the result is empty.
func (x *exchange) nothing() bool {
	x.out = append(x.out, "NONE-FOUND\n"...)
	return true
}

// command runs one command. It reports whether to run the next.
func (x *exchange) command(line string, tokens []token) bool {
	words := texts(tokens)
	switch verb := words[0]; {
	case verb == "VERSION":
		return x.version(words)
	case verb == "AUTHENTICATE" || verb == "AUTHENTICATOR" || verb == "SELECT":
		return true
	case verb == "DIRECTORY" && len(words) >= 3 && words[1] == "ASCII":
		x.dir = words[2]
		return true
	case verb == "LIST":
		return x.list(tokens[1:])
	case verb == "GET-OBJECT-INFO" && len(words) >= 4 && words[2] == "ASCII":
		return x.info(words[3], strings.Split(words[1], "+"))
	case slices.Contains(unimplemented, verb):
		return x.fail("UNIMPLEMENTED " + verb)
	case slices.Contains([]string{"DIRECTORY", "GET-OBJECT-INFO"}, verb):
		return x.malformed(line)
	default:
		return x.end("ERROR Unknown message: " + line + "\n")
	}
}

// unimplemented are the commands that write, and others that no reading client needs.
var unimplemented = []string{
	"ATOMIC", "CREATE-LINK", "CREATE-OBJECT", "DELETE-LINK", "EDIT-ACL", "EDIT-LINK-INFO", "EDIT-OBJECT-INFO",
	"LIST-ACL", "PARAMETER", "STATUS", "UPDATE",
}

func (x *exchange) version(words []string) bool {
	switch {
	case len(words) == 1:
		x.out = append(x.out, "VERSION 5 "...)
		x.out = append(appendToken(x.out, x.s.software), '\n')
		return true
	case words[1] == "1":
		x.old = true
		return true
	case x.s.o.Old:
		return x.end("VERSION-NOT-SUPPORTED TRY 1") // no line end, as measured
	case len(words[1]) == 1 && "2" <= words[1] && words[1] <= "5":
		return true
	default:
		return x.end("VERSION-NOT-SUPPORTED TRY 1-5")
	}
}

// found returns the object of that hsoname. If it returns nil, the reply has the error;
// missing is the error for an unknown name.
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

// info answers GET-OBJECT-INFO.
func (x *exchange) info(hsoname string, names []string) bool {
	if x.s.isArchie(hsoname) {
		return x.nothing()
	}
	o := x.found(hsoname, "NOT-FOUND")
	all := slices.Contains(names, "#ALL") || slices.Contains(names, "#INTERESTING")
	switch {
	case o == nil:
		return false
	case o.Moved != nil && all:
		return x.pointer(o.Moved)
	case o.Moved != nil:
		return x.forward(o.Moved)
	case o.Unstored && !o.isDirectory() && len(names) == 1 && names[0] == "ACCESS-METHOD":
		return x.fail("NOT-FOUND")
	}
	if all {
		names = nil
	}
	before := len(x.out)
	if x.out = x.s.appendInfo(x.out, o, names); len(x.out) == before {
		return x.nothing()
	}
	return true
}

// pointer replies as the measured server does when asked for all attributes of an
// object that has moved.
func (x *exchange) pointer(to *Link) bool {
	there := *to
	there.Expires = time.Time{}
	x.out = append(x.out, "ATTRIBUTE OBJECT INTRINSIC FORWARDING-POINTER LINK L FP (NULL' POINTER)' "...)
	x.out = append(x.s.appendTarget(x.out, "", &there), " 0\n"...)
	return x.fail("SERVER-FAILED Undefined error 122 (prospero)")
}

// appendInfo appends the attributes of o with these names; nil: all except the
// contents.
func (s *Server) appendInfo(dst []byte, o *Object, names []string) []byte {
	wanted := func(name string) bool { return names == nil || slices.Contains(names, name) }
	list := slices.Concat(o.Attributes, o.intrinsic())
	// Asked for more than the methods, but not for the modes, the measured server
	// treats a directory as a file.
	mistaken := len(names) > 1 && !wanted("UNIX-MODES")
	if !o.isDirectory() || mistaken {
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
