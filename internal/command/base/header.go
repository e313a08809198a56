package base

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// maxHeaderFile limits the size of a file with header fields, in bytes.
const maxHeaderFile = 1 << 20

// readHeader applies --user-agent and --header. Its errors do not contain field values, which may
// be secret. With the argument "@FILE", the values do not appear in the process list either.
func (a *App) readHeader() error {
	f := &a.Flags
	if !httpguts.ValidHeaderFieldValue(f.UserAgent) {
		return errors.New("--user-agent has a control character")
	}
	for _, text := range f.headerLines {
		name, ok := strings.CutPrefix(text, "@")
		if !ok {
			if err := a.addField(text); err != nil {
				return fmt.Errorf("--header: %w", err)
			}
			continue
		}
		lines, err := ReadFile(name, maxHeaderFile)
		if err != nil {
			return fmt.Errorf("--header: %w", err)
		}
		n := 0
		for line := range strings.Lines(string(lines)) {
			n++
			if line = strings.TrimRight(line, "\r\n"); line == "" {
				continue
			}
			if err := a.addField(line); err != nil {
				return fmt.Errorf("--header: %s, line %d: %w", name, n, err)
			}
		}
	}
	return nil
}

func (a *App) addField(line string) error {
	f := &a.Flags
	if pattern, field, ok := cutHost(line); ok {
		return a.addHostField(pattern, field)
	}
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return errors.New(`write a field as "Name: value"`)
	}
	value = strings.Trim(value, " \t")
	name, err := fieldName(name, value)
	if err != nil {
		return err
	}
	if f.Header == nil {
		f.Header = make(http.Header)
	}
	f.Header.Add(name, value)
	return nil
}

// ownFields contains the header fields that the client computes. The map must not be modified.
var ownFields = map[string]bool{
	"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Upgrade": true, "Te": true, "Trailer": true,
	"Range": true, "If-Range": true, "Accept-Encoding": true, "Proxy-Authorization": true,
}
