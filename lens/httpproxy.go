package lens

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
)

var errHTTP = errors.New("not a request to an HTTP proxy")

// serveHTTP acts as an HTTP proxy that answers every request with "not found". serveHTTP
// returns the request.
func serveHTTP(conn net.Conn, login func(user, password string) bool) (proxyRequest, error) {
	head, err := readHead(bufio.NewReader(io.LimitReader(conn, maxRequest)))
	if err != nil {
		return proxyRequest{}, err
	}
	user, password, _ := parseBasic(findField(head, "Proxy-Authorization"))
	if !login(user, password) {
		return proxyRequest{}, errStranger
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	host, port := splitPort(findField(head, "Host"))
	method, target, _ := requestLine(head)
	if method == "CONNECT" {
		host, port = splitPort(target)
	}
	return proxyRequest{host: host, port: port, request: head}, nil
}

// readHead reads the header of an HTTP request, up to and including its empty line.
func readHead(in *bufio.Reader) ([]byte, error) {
	var head []byte
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		head = append(head, line...)
	}
	if _, _, ok := requestLine(head); !ok {
		return nil, errHTTP
	}
	return head, nil
}

// requestLine returns the method and the target of an HTTP request (RFC 9112 section 3).
func requestLine(head []byte) (method, target string, ok bool) {
	line, _, _ := strings.Cut(string(head), "\r\n")
	method, rest, _ := strings.Cut(line, " ")
	end := strings.LastIndex(rest, " HTTP/1.")
	if end < 0 {
		return "", "", false
	}
	return method, rest[:end], true
}

// findField returns the first field with the given name in the header of an HTTP request.
func findField(head []byte, name string) string {
	for line := range strings.SplitSeq(string(head), "\r\n") {
		if n, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(n, name) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// splitPort splits "host" or "host:port".
func splitPort(text string) (host, port string) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 || strings.Contains(text[i:], "]") {
		return text, ""
	}
	return text[:i], text[i+1:]
}

// setTarget sets the path and the query of r from a request target.
func (r *ParseResult) setTarget(target string) {
	path, query, found := strings.Cut(target, "?")
	r.Path, r.Query = &path, optionalPart(query, found)
}

// setLogin sets the user and the password of r from a request header.
func (r *ParseResult) setLogin(head []byte) {
	if user, password, ok := parseBasic(findField(head, "Authorization")); ok {
		r.User, r.Password = &user, nonEmpty(password)
	}
}
