// Package template fills in templates, in the language of package text/template. Values are
// escaped by where they stand in the HTML around them.
//
// It is the part of package html/template that the pages of this project need. The rest of
// it finds methods by their names, so that a linker that meets it keeps each exported method
// of the whole program: an eighth of the program's size. The tests compare the output with that
// of package html/template.
//
// Fields of structs, keys of maps, functions, variables, if, with, range, template and define
// work as there. Methods and pointers to methods do not. A missing key is an error. Values stand
// in text and in attributes in double quotes, and nowhere else: a template with a value in a
// script, a style, a name of a tag or an attribute, or in an attribute that is code,
// is refused. So is a comment of HTML, and a value that may become a part of a URL's scheme.
package template

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"
)

// Funcs are functions that templates call, by name. Each returns a value, or a value and an
// error.
type Funcs map[string]any

// Template is a set of named templates. It is immutable, and safe for concurrent use.
type Template struct {
	trees   map[string]*parse.Tree
	escapes map[*parse.ActionNode]escape // nil: nothing is escaped
	funcs   map[string]reflect.Value
}

// ParseHTML parses a text with templates of HTML. Each template begins and ends in the text of
// HTML, outside of tags. The text outside of definitions is the template "".
func ParseHTML(text string, funcs Funcs) (*Template, error) {
	t, err := parseText("", text, funcs)
	if err != nil {
		return nil, err
	}
	t.escapes = map[*parse.ActionNode]escape{}
	for _, name := range slices.Sorted(maps.Keys(t.trees)) {
		if err := t.escapeTree(t.trees[name]); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// ParseHTMLFiles is ParseHTML for each file in a folder.
func ParseHTMLFiles(folder fs.FS, dir string, funcs Funcs) (*Template, error) {
	entries, err := fs.ReadDir(folder, dir)
	var text strings.Builder
	for _, e := range entries {
		octets, readErr := fs.ReadFile(folder, path.Join(dir, e.Name()))
		err = errors.Join(err, readErr)
		text.Write(octets)
	}
	if err != nil {
		return nil, err
	}
	return ParseHTML(text.String(), funcs)
}

// ParseText parses a text in which nothing is escaped. It is the template "".
func ParseText(text string, funcs Funcs) (*Template, error) { return parseText("", text, funcs) }

func parseText(name, text string, funcs Funcs) (*Template, error) {
	t := &Template{trees: map[string]*parse.Tree{}, funcs: map[string]reflect.Value{}}
	known := map[string]any{}
	for _, name := range builtins {
		known[name] = name
	}
	for name, f := range funcs {
		known[name] = f
		t.funcs[name] = reflect.ValueOf(f)
	}
	trees, err := parse.Parse(name, text, "", "", known)
	if err != nil {
		return nil, err
	}
	t.trees = trees
	return t, nil
}

// With returns a copy of t in which funcs replace functions of the same names.
func (t *Template) With(funcs Funcs) *Template {
	other := *t
	other.funcs = maps.Clone(t.funcs)
	for name, f := range funcs {
		other.funcs[name] = reflect.ValueOf(f)
	}
	return &other
}

// Execute writes a template with data. After an error w has a part of it.
func (t *Template) Execute(w io.Writer, name string, data any) (err error) {
	tree := t.trees[name]
	if tree == nil {
		return fmt.Errorf("template: no template %q", name)
	}
	s := &state{t: t, w: w}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		default:
			panic(r)
		}
	}()
	s.run(tree, reflect.ValueOf(data))
	return nil
}
