package rfc3986

// UserinfoOffset returns the offset of the userinfo in octets. If u has no userinfo,
// UserinfoOffset returns the offset of the host.
func (u URI) UserinfoOffset() int {
	if start := u.authorityStart(); u.host > start {
		return start
	}
	return u.HostOffset()
}

// HostOffset returns the offset of the host in octets. If u has no host, HostOffset returns
// the offset of the path.
func (u URI) HostOffset() int {
	if u.hasAuthority() {
		return u.host
	}
	return u.path
}

// PortOffset returns the offset of the port in octets, after its ":". If u has no port,
// PortOffset returns the offset of the path.
func (u URI) PortOffset() int {
	if u.port > 0 {
		return u.port + len(":")
	}
	return u.path
}

// PathOffset returns the offset of the path in octets.
func (u URI) PathOffset() int { return u.path }

// QueryOffset returns the offset of the query in octets, after its "?". If u has no query,
// QueryOffset returns the offset of the end of the path.
func (u URI) QueryOffset() int {
	if u.query > 0 {
		return u.query
	}
	return u.path + len(u.Path())
}

// FragmentOffset returns the offset of the fragment in octets, after its "#". If u has no
// fragment, FragmentOffset returns the length of the text.
func (u URI) FragmentOffset() int {
	if u.fragment > 0 {
		return u.fragment
	}
	return len(u.text)
}
