package ftp

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// CWDMode says how the cwds of a url-path become commands.
type CWDMode uint8

const (
	// CWDMulti sends a CWD command for each cwd, as RFC 1738 section 3.2.2 says.
	CWDMulti CWDMode = iota
	// CWDSingle sends one CWD command with all cwds, joined by "/": for a server that
	// forbids a directory on the way.
	CWDSingle
	// CWDNone sends no CWD command: the whole url-path, joined by "/", is the
	// argument of RETR, NLST or LIST.
	CWDNone
)

// ParseCWDMode returns the mode of that name: "multi", "single" or "none".
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

// Action is what a Plan does after its CWD commands.
type Action uint8

const (
	Retrieve  Action = iota // TYPE and RETR: a file
	NameList                // NLST: the names in a directory, for typecode "d"
	Directory               // MLSD or LIST: a directory, for an empty name
)

// Plan is the series of commands for a url-path (RFC 1738 section 3.2.2), decoded. It
// does not contain the login and the commands that open a data connection.
type Plan struct {
	CWD    []string // arguments of CWD commands, in order
	Type   string   // argument of TYPE: "I", "A", "A N", "L 8"; empty unless Retrieve
	Action Action
	Name   string // argument of the last command; empty: NLST and LIST have none
}

// Plan returns the commands for u. The error is a [*locus.SyntaxError]: the user, the
// password or the path contains CR, LF or NUL. Such a URL is refused before anything is
// dialled.
func (u URL) Plan(m CWDMode) (Plan, error) {
	if err := u.sendable(); err != nil {
		return Plan{}, err
	}
	p := Plan{CWD: u.CWD(), Name: u.Name()}
	switch code := u.Typecode(); {
	case code == 'd':
		p.Action = NameList
	case code != 0:
		p.Type = strings.ToUpper(string(code))
	case u.DraftTypecode() != "":
		p.Type = spacedTypecode(u.DraftTypecode())
	case p.Name == "":
		p.Action = Directory
	default:
		p.Type = "I" // section 3.2.3 guesses; see the package comment
	}
	p.join(m)
	return p, nil
}

// spacedTypecode adds the space that the URI draft removes.
func spacedTypecode(code string) string {
	if len(code) == 1 {
		return code
	}
	return code[:1] + " " + code[1:]
}

// join rewrites the plan for CWDSingle and CWDNone. Empty cwds are joined to slashes.
func (p *Plan) join(m CWDMode) {
	if m == CWDMulti || len(p.CWD) == 0 {
		return
	}
	dir := strings.Join(p.CWD, "/")
	if dir == "" {
		dir = "/"
	}
	switch {
	case m == CWDSingle:
		p.CWD = []string{dir}
		return
	case p.Name == "" && p.Action != Retrieve:
		p.Name = dir
	default:
		p.Name = strings.Join(p.CWD, "/") + "/" + p.Name
	}
	p.CWD = []string{}
}

// Commands returns the plan as command lines, without their ends. With servers that
// offer MLSD it replaces LIST.
func (p Plan) Commands() []string {
	var list []string
	for _, dir := range p.CWD {
		list = append(list, "CWD "+dir)
	}
	if p.Type != "" {
		list = append(list, "TYPE "+p.Type)
	}
	return append(list, strings.Join(p.last("LIST"), " "))
}

// last returns the words of the last command; directory is the verb for a directory.
func (p Plan) last(directory string) []string {
	verb := [...]string{Retrieve: "RETR", NameList: "NLST", Directory: directory}[p.Action]
	if p.Action != Retrieve && p.Name == "" {
		return []string{verb}
	}
	return []string{verb, p.Name}
}
