package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Problem is a mistake in a configuration.
type Problem struct {
	File     string // empty if the mistake is not in a file
	Line     int    // line number in File, from 1; 0 if unknown
	Variable string // environment variable; empty if the mistake is elsewhere
	Err      error
}

// Error implements error.
func (p *Problem) Error() string {
	switch {
	case p.File != "" && p.Line > 0:
		return fmt.Sprintf("%s: line %d: %v", p.File, p.Line, p.Err)
	case p.File != "":
		return fmt.Sprintf("%s: %v", p.File, p.Err)
	case p.Variable != "":
		return fmt.Sprintf("the environment variable %s: %v", p.Variable, p.Err)
	}
	return p.Err.Error()
}

// Unwrap returns the mistake without its position.
func (p *Problem) Unwrap() error { return p.Err }

// Report is the result of [Source.Check].
type Report struct {
	Problems []Problem
	file     string
	lines    map[string]int    // maps each key to its line number
	set      map[string]string // maps each key to the environment variable that sets the key
}

// At returns err as a problem at the position that last set the given key.
func (r *Report) At(key string, err error) Problem {
	if variable := r.set[key]; variable != "" {
		return Problem{Variable: variable, Err: err}
	}
	if line := r.lines[key]; line > 0 {
		return Problem{File: r.file, Line: line, Err: fmt.Errorf("%s: %w", key, err)}
	}
	return Problem{Err: fmt.Errorf("%s: %w", key, err)}
}

func (r *Report) add(p Problem) { r.Problems = append(r.Problems, p) }

// Check is like [Source.Read], but returns all mistakes. The mistakes in the file come first, in
// line order, followed by the mistakes in the environment.
func (s Source) Check(c *Config) *Report {
	r := &Report{set: map[string]string{}}
	s.readFile(r, c)
	for _, key := range c.settings() {
		if text := s.Getenv(key.variable()); text != "" {
			r.set[key.key] = key.variable()
			if err := key.setText(text); err != nil {
				r.add(Problem{Variable: key.variable(), Err: err})
			}
		}
		if t, ok := key.value.(*ProxyTable); ok {
			s.readEntries(r, key, t)
		}
	}
	for _, key := range c.settings() {
		// A limit of 0 would stop all work.
		if n, ok := key.value.(*int); ok && *n < 1 {
			r.add(r.At(key.key, errors.New("it must be at least 1")))
		}
	}
	return r
}

// readFile reads the configuration file. A file that the user named must exist. The default file
// may be missing.
func (s Source) readFile(r *Report, c *Config) {
	name, required := s.Path()
	if name == "" {
		return
	}
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !required:
		return
	case err != nil:
		r.add(Problem{Err: err})
		return
	}
	r.file = name
	lines, errs := c.decode(string(text))
	r.lines = lines
	for _, err := range errs {
		p := Problem{File: name, Err: err}
		if e, ok := err.(*lineError); ok {
			p.Line, p.Err = e.line, errors.New(e.text)
		}
		r.add(p)
	}
}

// readEntries reads the environment variables for a table. It reads the variables of registered
// schemes and special keys first, and then the variables of unregistered schemes.
func (s Source) readEntries(r *Report, key setting, t *ProxyTable) {
	names := append([]string{AllSchemes, exceptions}, s.Schemes...)
	known := map[string]bool{}
	for _, name := range names {
		known[key.entryVariable(name)] = true
	}
	names = append(names, s.unregistered(key, known)...)
	for _, name := range names {
		variable := key.entryVariable(name)
		if text := s.Getenv(variable); text != "" {
			if err := t.Entry(name).UnmarshalText([]byte(text)); err != nil {
				r.add(Problem{Variable: variable, Err: err})
			}
		}
	}
}
