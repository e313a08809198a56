package show

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/mid"
)

func isPartPath(text string) bool {
	for number := range strings.SplitSeq(text, ".") {
		if number == "" || strings.Trim(number, "0123456789") != "" {
			return false
		}
	}
	return true
}

// ReadPart reads a message and finds the part of --part. The caller closes the letter.
func (v *Viewer) ReadPart(ctx context.Context, f Found, resource scheme.Resource, free bool) (*letter, message.Part, error) {
	o, ok := resource.(*scheme.Object)
	if !ok || !IsMessage(o.Type) {
		return nil, message.Part{}, noMessage(f, resource)
	}
	l := v.read(ctx, f, o, free)
	err := l.broken
	if err == nil && l.message == nil {
		err = noMessage(f, resource)
	}
	if err == nil {
		if part, ok := l.message.Part(v.Part); ok {
			return l, part, nil
		}
		err = fmt.Errorf("%s: %w: the message has no part %s; %s", f.Asked.Redacted(), scheme.ErrNotFound, v.Part, listParts(l.message))
	}
	l.Close()
	return nil, message.Part{}, err
}

func noMessage(f Found, resource scheme.Resource) error {
	what := "this kind of resource"
	if o, ok := resource.(*scheme.Object); ok && o.Type != "" {
		what = o.Type
	} else if ok {
		what = "an object of unknown type"
	}
	return fmt.Errorf("%s: %w: --part needs a message, not %s", f.Asked.Redacted(), scheme.ErrUnsupported, what)
}

const mostParts = 20

func listParts(m *message.Message) string {
	parts := m.Parts()
	var list []string
	for _, p := range parts[:min(len(parts), mostParts)] {
		list = append(list, strings.TrimSpace(p.Path+" "+p.Type+" "+p.Name))
	}
	if more := len(parts) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return "there are " + strings.Join(list, ", ")
}

// showPart writes the part of --part as an object. On a terminal, text is decoded.
func (v *Viewer) showPart(ctx context.Context, f Found, resource scheme.Resource, to Stream) error {
	l, part, err := v.ReadPart(ctx, f, resource, !to.ForPeople)
	if err != nil {
		return err
	}
	defer l.Close()
	o, err := v.PartObject(ctx, l, part, &scheme.Request{})
	if err != nil {
		return fmt.Errorf("%s: %w", f.Asked.Redacted(), err)
	}
	if to.ForPeople && !v.Raw && !v.App.Flags.JSON && strings.HasPrefix(part.Type, "text/") {
		o.Type, o.Size, o.Body = "text/plain; charset=utf-8", -1, io.NopCloser(part.Text())
	}
	return v.object(ctx, f, o, to)
}

// PartObject returns a part as an object, as req asks for it.
func (v *Viewer) PartObject(ctx context.Context, l *letter, part message.Part, req *scheme.Request) (*scheme.Object, error) {
	asked := *req
	asked.URL, asked.Limit = l.object.URL, v.App.Flags.MaxSize
	return mid.Part(ctx, &asked, l.message, part, io.NopCloser(nil))
}
