package rfc3986

// UserinfoOffset returns the offset of the userinfo in octets. Without one it is that of
// the host.
func (u URI) UserinfoOffset() int {
	if text, ok := u.Userinfo(); ok {
		return u.HostOffset() - len("@") - len(text)
	}
	return u.HostOffset()
}

// HostOffset returns the offset of the host in octets. Without one it is that of the path.
func (u URI) HostOffset() int {
	text, _ := u.Host()
	if port, ok := u.Port(); ok {
		return u.PathOffset() - len(port) - len(":") - len(text)
	}
	return u.PathOffset() - len(text)
}

// PortOffset returns the offset of the port in octets, after its ":". Without one it is
// that of the path.
func (u URI) PortOffset() int {
	port, _ := u.Port()
	return u.PathOffset() - len(port)
}

// PathOffset returns the offset of the path in octets.
func (u URI) PathOffset() int {
	end := u.FragmentOffset()
	if _, ok := u.Fragment(); ok {
		end -= len("#")
	}
	if text, ok := u.Query(); ok {
		end -= len("?") + len(text)
	}
	return end - len(u.Path())
}

// QueryOffset returns the offset of the query in octets, after its "?". Without one it is
// that of the end of the path.
func (u URI) QueryOffset() int {
	end := u.PathOffset() + len(u.Path())
	if _, ok := u.Query(); ok {
		end += len("?")
	}
	return end
}

// FragmentOffset returns the offset of the fragment in octets, after its "#". Without one
// it is the length of the text.
func (u URI) FragmentOffset() int {
	text, _ := u.Fragment()
	return len(u.String()) - len(text)
}
