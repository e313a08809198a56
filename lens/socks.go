package lens

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
)

var (
	errSOCKS    = errors.New("not SOCKS 5")
	errStranger = errors.New("wrong password")
)

// serveSOCKS acts as a SOCKS 5 proxy (RFC 1928) with passwords (RFC 1929). serveSOCKS reports
// a successful connection, and then sends no more data. The program sees a closed connection,
// but still sends its request.
func serveSOCKS(conn net.Conn, login func(user, password string) bool) (proxyRequest, error) {
	in := bufio.NewReader(io.LimitReader(conn, maxRequest))
	if err := readLogin(in, conn, login); err != nil {
		return proxyRequest{}, err
	}
	a, err := readConnect(in)
	if err != nil {
		return proxyRequest{}, err
	}
	if _, err := conn.Write([]byte{5, 0, 0, 1, 127, 0, 0, 1, 0, 1}); err != nil {
		return a, nil // the program has sent its request to connect
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() != nil {
		return a, nil
	}
	a.request, _ = io.ReadAll(in) // after an error, the data that arrived is enough
	return a, nil
}

// readLogin reads the greeting and the login.
func readLogin(in *bufio.Reader, out io.Writer, login func(user, password string) bool) error {
	if version, err := in.ReadByte(); err != nil || version != 5 {
		return errSOCKS
	}
	if _, err := readShort(in); err != nil { // the login methods that the client supports
		return err
	}
	const byPassword = 2
	if _, err := out.Write([]byte{5, byPassword}); err != nil {
		return err
	}
	if version, err := in.ReadByte(); err != nil || version != 1 {
		return errSOCKS
	}
	user, err := readShort(in)
	if err != nil {
		return err
	}
	password, err := readShort(in)
	if err != nil {
		return err
	}
	if !login(user, password) {
		_, _ = out.Write([]byte{1, 1})
		return errStranger
	}
	_, err = out.Write([]byte{1, 0})
	return err
}

// readConnect reads the client's connect request.
func readConnect(in *bufio.Reader) (proxyRequest, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return proxyRequest{}, err
	}
	const connect = 1
	if head[0] != 5 || head[1] != connect {
		return proxyRequest{}, errSOCKS
	}
	host, err := readHost(in, head[3])
	if err != nil {
		return proxyRequest{}, err
	}
	var port [2]byte
	if _, err := io.ReadFull(in, port[:]); err != nil {
		return proxyRequest{}, err
	}
	return proxyRequest{host: host, port: strconv.Itoa(int(binary.BigEndian.Uint16(port[:])))}, nil
}

// readHost reads an address of the given SOCKS address type.
func readHost(in *bufio.Reader, kind byte) (string, error) {
	size := map[byte]int{1: 4, 4: 16}[kind]
	switch {
	case kind == 3:
		return readShort(in)
	case size == 0:
		return "", errSOCKS
	}
	octets := make([]byte, size)
	if _, err := io.ReadFull(in, octets); err != nil {
		return "", err
	}
	ip, _ := netip.AddrFromSlice(octets)
	return ip.String(), nil
}

// readShort reads a text whose length precedes it in one octet.
func readShort(in *bufio.Reader) (string, error) {
	n, err := in.ReadByte()
	if err != nil {
		return "", err
	}
	text := make([]byte, n)
	_, err = io.ReadFull(in, text)
	return string(text), err
}
