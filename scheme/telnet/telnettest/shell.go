package telnettest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// tries is the maximum number of login attempts with a wrong password.
const tries = 3

// login requests a password, and also a user name if the argument name is empty. It returns the
// user name, or "" if the login failed.
func (t *Terminal) login(users map[string]string, name string) (string, error) {
	for range tries {
		var err error
		if name == "" {
			if name, err = t.Prompt("login: "); err != nil {
				return "", err
			}
		}
		t.hidden = true
		password, err := t.Prompt("Password: ")
		t.hidden = false
		if err != nil {
			return "", err
		}
		if want, ok := users[name]; ok && want == password {
			return name, nil
		}
		if err := t.Say("Login incorrect"); err != nil {
			return "", err
		}
		name = ""
	}
	return "", nil
}

func (t *Terminal) session(users map[string]string, name string) {
	if users != nil {
		var err error
		if name, err = t.login(users, name); err != nil || name == "" {
			return
		}
	}
	if name == "" {
		name = "stranger"
	}
	if err := t.Say("Welcome, " + name + ". Type help for what there is."); err == nil {
		t.shell()
	}
}

func (t *Terminal) shell() {
	for {
		line, err := t.Prompt("> ")
		if errors.Is(err, ErrInterrupted) {
			continue
		}
		if err != nil {
			return
		}
		if err := t.do(strings.Fields(line)); err != nil {
			return
		}
	}
}

type command struct {
	about string
	do    func(t *Terminal, args []string) error
}

// commands holds all commands except "help".
var commands = map[string]command{
	"bye":    {"ends the session", func(t *Terminal, _ []string) error { return errors.Join(t.Say("Goodbye."), io.EOF) }},
	"color":  {"shows colours and the like", func(t *Terminal, _ []string) error { return t.Say(colors) }},
	"echo":   {"on, off: whether the host shows what is typed", echo},
	"evil":   {"sends what no terminal should do for a stranger", func(t *Terminal, _ []string) error { return t.Say(evil) }},
	"flood":  {"N: sends so many octets without a line end, at first", flood},
	"hang":   {"says nothing any more, whatever is typed", hang},
	"option": {"shows what was agreed on", func(t *Terminal, _ []string) error { return t.list(t.options()...) }},
	"term":   {"shows the type of the terminal", func(t *Terminal, _ []string) error { return t.list(t.kind) }},
	"size":   {"shows the size of the window", func(t *Terminal, _ []string) error { return t.list(t.window) }},
}

// do executes one shell command. If do returns an error, the session ends.
func (t *Terminal) do(words []string) error {
	if len(words) == 0 {
		return nil
	}
	if words[0] == "help" {
		return t.help()
	}
	c, ok := commands[words[0]]
	if !ok {
		return t.Say(words[0] + ": there is no such command")
	}
	return c.do(t, words[1:])
}

func (t *Terminal) help() error {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		lines = append(lines, fmt.Sprintf("%-7s %s", name, commands[name].about))
	}
	return t.Say(lines...)
}

// list shows the non-empty lines.
func (t *Terminal) list(lines ...string) error {
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	if len(lines) == 0 {
		return t.Say("nothing is known")
	}
	return t.Say(lines...)
}

func echo(t *Terminal, args []string) error {
	if len(args) != 1 || args[0] != "on" && args[0] != "off" {
		return t.Say("echo on, or echo off")
	}
	return t.setEcho(args[0] == "on")
}

func flood(t *Terminal, args []string) error {
	n, err := strconv.ParseInt(strings.Join(args, " "), 10, 64)
	if err != nil || n < 0 {
		return t.Say("flood, and a number")
	}
	piece := bytes.Repeat([]byte{'x'}, 32<<10)
	for ; n > 0; n -= int64(len(piece)) {
		if _, err := t.Write(piece[:min(n, int64(len(piece)))]); err != nil {
			return err
		}
	}
	return t.Say("", "that was it")
}

func hang(t *Terminal, _ []string) error {
	t.log("hangs")
	for {
		if _, err := t.next(); err != nil {
			return err
		}
	}
}

// colors is a text that contains SGR sequences (ECMA-48).
const colors = "\x1b[31mred\x1b[0m \x1b[1;32mbold green\x1b[0m \x1b[38;5;208morange\x1b[0m \x1b[7mreverse\x1b[0m"

// evil contains escape sequences that a program must not pass to a terminal if the output is
// untrusted. Some sequences set the window title, write to the clipboard, print, redefine keys,
// resize the window or report the mouse. Others make the terminal send its type, cursor position,
// title or last error. One sequence hides the text that follows.
const evil = "before" +
	"\x1b]0;owned\a" + "\x1b]52;c;cm0gLXJm\x1b\\" + "\x1b]8;;http://evil.example/\x1b\\link\x1b]8;;\x1b\\" +
	"\x1b[c" + "\x1b[6n" + "\x1b[21t" + "\x05" + "\x1bP$qm\x1b\\" + "\x1b[5i" + "\x1bP1;1|17/6f776e6564\x1b\\" +
	"\x1b[8;1;1t" + "\x1b[?1003h" + "\x1bc" + "\x1b_hidden\x1b\\" + "\x9b21t" + "\x9d0;owned\x9c" +
	"after"
