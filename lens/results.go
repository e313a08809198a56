package lens

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A program reads URLs in base64, one per line, and prints
//
//	version BASE64
//	0 LENGTH ok scheme:BASE64 host:BASE64 ...
//	1 LENGTH no BASE64
//
// The output contains one line for each URL, with the number of the URL, its length in octets,
// and either the present parts or the error.

func encodeQuestions(urls []string) []byte {
	var b bytes.Buffer
	for _, url := range urls {
		b.WriteString(base64.StdEncoding.EncodeToString([]byte(url)))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

var errResults = errors.New("invalid output")

func decodeResults(output []byte, urls []string) (version string, list []ParseResult, err error) {
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(output), "\r\n", "\n"), "\n"), "\n")
	encoded, ok := strings.CutPrefix(lines[0], "version ")
	octets, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(octets) == 0 {
		return "", nil, fmt.Errorf("%w: the first line is not the version", errResults)
	}
	if len(lines)-1 != len(urls) {
		return "", nil, fmt.Errorf("%w: %d lines for %d URLs", errResults, len(lines)-1, len(urls))
	}
	list = make([]ParseResult, len(urls))
	for i, line := range lines[1:] {
		if list[i], err = decodeResult(line, i, len(urls[i])); err != nil {
			return "", nil, err
		}
	}
	return string(octets), list, nil
}

func decodeResult(line string, number, length int) (ParseResult, error) {
	bad := func(why string) (ParseResult, error) {
		return ParseResult{}, fmt.Errorf("%w in line %d: %s", errResults, number+2, why)
	}
	fields := strings.Split(line, " ")
	if len(fields) < 3 || fields[0] != strconv.Itoa(number) || fields[1] != strconv.Itoa(length) {
		return bad("the result is for another URL")
	}
	switch fields[2] {
	case "ok":
		r := ParseResult{OK: true}
		if err := r.setParts(fields[3:]); err != nil {
			return bad(err.Error())
		}
		return r, nil
	case "no":
		if len(fields) != 4 {
			return bad("no error")
		}
		text, err := base64.StdEncoding.DecodeString(fields[3])
		if err != nil {
			return bad("not base64")
		}
		return ParseResult{Error: string(text)}, nil
	}
	return bad("the result is neither \"ok\" nor \"no\"")
}

// setParts sets the parts of r from a list of fields. A field is "name:BASE64". The field
// "unseen:name" means that the parser does not expose the part.
func (r *ParseResult) setParts(fields []string) error {
	for _, field := range fields {
		name, encoded, _ := strings.Cut(field, ":")
		if name == "unseen" && slices.Contains(PartNames(), encoded) {
			r.Unseen = append(r.Unseen, encoded)
			continue
		}
		i := slices.Index(PartNames(), name)
		octets, err := base64.StdEncoding.DecodeString(encoded)
		if i < 0 || err != nil || *r.parts()[i] != nil {
			return errors.New("a part is unknown, repeated or not base64")
		}
		*r.parts()[i] = optionalPart(string(octets), true)
	}
	return nil
}
