package ftp

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// CWDMode selects the commands that the client sends for the cwds in a url-path.
type CWDMode uint8

const (
	// CWDMulti sends a CWD command for each cwd, as RFC 1738 section 3.2.2 requires.
	CWDMulti CWDMode = iota
	// CWDSingle joins all cwds with "/" and sends one CWD command. Use this mode for a server
	// that forbids access to a parent directory.
	CWDSingle
	// CWDNone sends no CWD command. The argument of RETR, NLST or LIST is then the whole
	// url-path, joined by "/".
	CWDNone
)

// ParseCWDMode returns the mode with the given name: "multi", "single" or "none".
func ParseCWDMode(name string) (CWDMode, error) {
	for m := CWDMulti; m <= CWDNone; m++ {
		if m.String() == name {
			return m, nil
		}
	}
	return 0, fmt.Errorf("ftp: unknown CWD mode %s: write multi, single or none", locus.Quote(name))
}

func (m CWDMode) String() string {
	return [...]string{"multi", "single", "none"}[m]
}

// action is what a plan does after the CWD commands.
type action uint8

const (
	retrieve  action = iota // transfer a file with TYPE and RETR
	nameList                // list the names in a directory with NLST, for typecode "d"
	directory               // list a directory with MLSD or LIST, for an empty name
)

// plan describes the commands for a url-path (RFC 1738 section 3.2.2), with decoded arguments.
// It does not contain the login and the commands that open a data connection.
type plan struct {
	cwd    []string // arguments of CWD commands, in order
	typ    string   // argument of TYPE, such as "I", "A", "A N" or "L 8"; only for the action retrieve
	action action
	name   string // argument of the last command; if empty, the client sends NLST or LIST without an argument
}

// Commands returns the commands for u (RFC 1738 section 3.2.2), with decoded arguments and
// without line endings. The CWD commands come first. Then follows TYPE and RETR, or NLST, or
// LIST. A client sends MLSD instead of LIST if the server supports it. Commands omits the
// login and the commands that open a data connection. It fails if the user, password or path
// contains CR, LF or NUL; a client rejects such a URL before it dials. The error is a
// [*locus.SyntaxError].
func (u URL) Commands(m CWDMode) ([]string, error) {
	p, err := u.plan(m)
	if err != nil {
		return nil, err
	}
	return p.commands(), nil
}

// plan returns the plan for u. It returns the same errors as Commands.
func (u URL) plan(m CWDMode) (plan, error) {
	if err := u.sendable(); err != nil {
		return plan{}, err
	}
	p := plan{cwd: u.CWD(), name: u.Name()}
	switch code := u.Typecode(); {
	case code == 'd':
		p.action = nameList
	case code != 0:
		p.typ = strings.ToUpper(string(code))
	case u.DraftTypecode() != "":
		p.typ = spacedTypecode(u.DraftTypecode())
	case p.name == "":
		p.action = directory
	default:
		p.typ = "I" // RFC 1738 section 3.2.3 requires the client to guess (see the package comment)
	}
	p.join(m)
	return p, nil
}

// spacedTypecode returns a typecode of the URI draft as an argument of TYPE. The draft removes
// the space, and spacedTypecode adds it again.
func spacedTypecode(code string) string {
	if len(code) == 1 {
		return code
	}
	return code[:1] + " " + code[1:]
}

// join changes the plan for CWDSingle or CWDNone. In the joined path, an empty directory name
// yields an additional slash.
func (p *plan) join(m CWDMode) {
	if m == CWDMulti || len(p.cwd) == 0 {
		return
	}
	dir := strings.Join(p.cwd, "/")
	if dir == "" {
		dir = "/"
	}
	switch {
	case m == CWDSingle:
		p.cwd = []string{dir}
		return
	case p.name == "" && p.action != retrieve:
		p.name = dir
	default:
		p.name = strings.Join(p.cwd, "/") + "/" + p.name
	}
	p.cwd = []string{}
}

func (p plan) commands() []string {
	var list []string
	for _, dir := range p.cwd {
		list = append(list, "CWD "+dir)
	}
	if p.typ != "" {
		list = append(list, "TYPE "+p.typ)
	}
	return append(list, strings.Join(p.last("LIST"), " "))
}

// last returns the words of the last command in the plan. The argument list is the verb to use
// for listing a directory.
func (p plan) last(list string) []string {
	verb := [...]string{retrieve: "RETR", nameList: "NLST", directory: list}[p.action]
	if p.action != retrieve && p.name == "" {
		return []string{verb}
	}
	return []string{verb, p.name}
}
