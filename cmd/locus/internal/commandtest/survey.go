package commandtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// Survey implements the test scheme x-form, which requires answers to a form and returns these
// answers as a resource.
type Survey struct {
	Fields []scheme.FormField
	Name   string // name of the only scheme to register; if empty, x-form is registered in addition to all other schemes
	Secure bool   // connections of the scheme are encrypted
	Refuse string // an answer that Submit rejects
	Long   bool   // the answers do not fit into a URL
	Reply  scheme.Resource

	mu   sync.Mutex
	sent [][]string
}

// Open implements scheme.Opener.
func (s *Survey) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	form := &scheme.Form{URL: req.URL, Title: "A survey\x1b[2J", Fields: s.Fields}
	form.Submit = func(answers []string) (locus.URL, error) {
		if err := form.Check(answers); err != nil {
			return locus.URL{}, err
		}
		for i, answer := range answers {
			if answer == s.Refuse && answer != "" {
				return locus.URL{}, &scheme.AnswerError{Field: i, Prompt: s.Fields[i].Prompt, Err: errors.New("can't be sent")}
			}
		}
		if s.Long {
			return locus.URL{}, fmt.Errorf("x-form: %w", locus.ErrTooLong)
		}
		return locus.Parse("x-form://h:7070/sent'" + url.QueryEscape(strings.Join(answers, "|")))
	}
	if req.Fill == nil {
		return s.menu(form), nil
	}
	answers, ok, err := req.Fill(ctx, form)
	switch {
	case err != nil:
		return nil, fmt.Errorf("x-form: %w", err)
	case !ok:
		return s.menu(form), nil
	}
	if err := form.Check(answers); err != nil {
		return nil, err
	}
	req.Traced(true, "***")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, answers)
	if s.Reply != nil {
		return s.Reply, nil
	}
	body := io.NopCloser(strings.NewReader(strings.Join(answers, "|") + "\n"))
	return &scheme.Object{URL: req.URL, Type: "text/plain", Size: -1, Body: body}, nil
}

func (s *Survey) menu(f *scheme.Form) *scheme.Menu {
	return &scheme.Menu{URL: f.URL, Title: f.Title, Form: f, Items: func(func(scheme.Item, error) bool) {}}
}

// Last returns the answers from the last submission.
func (s *Survey) Last() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sent) == 0 {
		return nil
	}
	return s.sent[len(s.sent)-1]
}

// In adds the scheme to the registry of an app.
func (s *Survey) In(a *base.App) {
	row := scheme.Generic(cmp.Or(s.Name, "x-form"), scheme.Experimental)
	row.Access.Opener, row.Access.Protocol = s, "memory"
	if s.Secure {
		row.Traits = scheme.Secure
	}
	a.NewRegistry = func(rows ...scheme.Scheme) (*scheme.Registry, error) {
		if s.Name != "" {
			return scheme.NewRegistry(row)
		}
		return all.Registry(append(rows, row)...)
	}
}

// EveryKind returns a survey whose form contains a field of every kind.
func EveryKind() *Survey {
	return &Survey{Fields: []scheme.FormField{
		{Kind: scheme.FieldNote, Prompt: "About you"},
		{Kind: scheme.FieldText, Prompt: "Your name:", Default: "Anna"},
		{Kind: scheme.FieldHidden, Prompt: "Password"},
		{Kind: scheme.FieldLines, Prompt: "Comments"},
		{Kind: scheme.FieldChoice, Prompt: "Color", Choices: []string{"Red", "gr\xfcn", "2"}},
		{Kind: scheme.FieldCheck, Prompt: "a=b", Default: "1"},
		{Kind: scheme.FieldSaveAs, Prompt: "Keep as", Default: "../../re\x1bply.txt"},
		{Kind: scheme.FieldFile, Prompt: "Picture", Default: "/etc/passwd"},
	}}
}
