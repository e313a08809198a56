package lines

// Finder finds the URL in a line. A nil Finder takes the whole line. It may be used
// concurrently.
type Finder struct{}

// Find returns where in line, which has no line end, the URL is written.
func (f *Finder) Find(line []byte) (start, end int, err error) { return 0, len(line), nil }

// Decode returns the URL that Find found. The result may share memory with text.
func (f *Finder) Decode(text []byte) ([]byte, error) { return text, nil }

// Append appends a URL as it is written in place of what Find found.
func (f *Finder) Append(dst []byte, url string) []byte { return append(dst, url...) }
