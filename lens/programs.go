package lens

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus/scheme"
)

// DefaultTimeout is the default time limit for one run of a program with a batch of URLs.
const DefaultTimeout = 30 * time.Second

// Options select programs. Only Registry must be set; the zero value of the other fields
// selects all installed programs.
type Options struct {
	// Registry provides the URL schemes that programs with a network may receive. Registry
	// must be set.
	Registry *scheme.Registry
	// With is a map from parser names to program paths. The path "" means a search in PATH.
	// The function Programs returns these parsers even if they are not installed. A parser
	// that is not installed fails when it is used.
	With map[string]string
	// Only means that the function Programs omits all parsers that With does not contain.
	Only bool
	// Without is a list of parser names to omit.
	Without []string
	// Timeout limits the time for a batch of URLs. Zero means DefaultTimeout.
	Timeout time.Duration
}

// programRow describes a parser that is an installed program. The field parse is the function
// that runs the program.
type programRow struct {
	name, program string
	// probe holds arguments with which the program succeeds if the parser is installed. An
	// interpreter may be installed without the parser's module. If probe is nil, every
	// installed program contains the parser.
	probe []string
	parse func(ctx context.Context, p *program, urls []string) (version string, list []ParseResult, err error)
}

func programRows() []programRow {
	return slices.Concat(scripts(), []programRow{
		{name: "curl", program: "curl", parse: readCurl},
		{name: "wget", program: "wget", parse: readWgetArgument},
		{name: "wget-i", program: "wget", parse: readWget},
		{name: "java-uri", program: "java", probe: javaProbe, parse: readJava("uri")},
		{name: "java-url", program: "java", probe: javaProbe, parse: readJava("url")},
		{name: "chromium", program: "chromium", parse: readChromium},
	})
}

// ProgramNames returns the names of the parsers that are programs.
func ProgramNames() (names []string) {
	for _, row := range programRows() {
		names = append(names, row.name)
	}
	return names
}

// Programs returns the parsers that are installed programs. Each program runs in an empty
// directory, with only PATH of the caller's environment, and reads URLs from its standard
// input or a file in that directory. On Linux, if the system allows network namespaces, the
// program has no network. Instead, curl and wget connect to a proxy on the loopback interface,
// which makes no connections. The context ctx limits the search for the programs, but not the
// parsers.
func Programs(ctx context.Context, o Options) []Parser {
	rows := programRows()
	found := make([]Parser, len(rows))
	var wg sync.WaitGroup
	for i, row := range rows {
		path, named := o.With[row.name]
		if slices.Contains(o.Without, row.name) || o.Only && !named {
			continue
		}
		p := &program{row: row, path: path, timeout: o.Timeout, registry: o.Registry}
		if p.timeout == 0 {
			p.timeout = DefaultTimeout
		}
		wg.Go(func() {
			if err := p.find(ctx); err == nil || named {
				p.missing = err
				found[i] = p
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(found, func(r Parser) bool { return r == nil })
}

// program is a Parser that runs a program.
type program struct {
	row      programRow
	path     string
	timeout  time.Duration
	registry *scheme.Registry
	missing  error // set if the program is not installed

	mu      sync.Mutex
	version string // version of the program; set after the first run
}

// find searches for the program and its dependencies.
func (p *program) find(ctx context.Context) error {
	name := p.path
	if name == "" {
		name = p.row.program
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	if p.path, err = filepath.Abs(path); err != nil {
		return err
	}
	if info, err := os.Stat(p.path); err != nil {
		return err
	} else if info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
		return fmt.Errorf("%s runs as another user and could not be stopped", p.path)
	}
	if p.row.probe == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout, tooSlowError(p.timeout))
	defer cancel()
	if _, err = p.run(ctx, p.row.probe, nil); err != nil {
		return fmt.Errorf("%s lacks what %s needs: %w", p.path, p.row.name, err)
	}
	return nil
}

func (p *program) Name() string { return p.row.name }
func (p *program) Kind() Kind   { return KindParser }

// Version runs the program without URLs, if it has not run before.
func (p *program) Version(ctx context.Context) (string, error) {
	p.mu.Lock()
	version := p.version
	p.mu.Unlock()
	if version != "" {
		return version, nil
	}
	_, err := p.Parse(ctx, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version, err
}

// versionOf runs the program with args, and returns the first words of the output as the
// version.
func (p *program) versionOf(ctx context.Context, words int, args ...string) (string, error) {
	p.mu.Lock()
	version := p.version
	p.mu.Unlock()
	if version != "" {
		return version, nil
	}
	out, err := p.run(ctx, args, nil)
	f := strings.Fields(string(out))
	return strings.Join(f[:min(words, len(f))], " "), err
}

func (p *program) Parse(ctx context.Context, urls []string) ([]ParseResult, error) {
	if p.missing != nil {
		return nil, p.missing
	}
	var readings []ParseResult
	for batch := range batches(urls) {
		batchCtx, cancel := context.WithTimeoutCause(ctx, p.timeout, tooSlowError(p.timeout))
		version, list, err := p.row.parse(batchCtx, p, batch)
		cancel()
		if err != nil {
			return nil, err
		}
		p.mu.Lock()
		p.version = version
		p.mu.Unlock()
		readings = append(readings, list...)
	}
	return readings, nil
}

// batches divides urls into groups of at most 256 URLs and 1 MiB. A longer URL is a group of
// its own. If urls is empty, batches yields one empty group.
func batches(urls []string) func(yield func([]string) bool) {
	const most, size = 256, 1 << 20
	return func(yield func([]string) bool) {
		for start := 0; start == 0 || start < len(urls); {
			end, octets := start, 0
			for end < len(urls) && end-start < most && (end == start || octets+len(urls[end]) <= size) {
				octets += len(urls[end])
				end++
			}
			if !yield(urls[start:end]) || end == start {
				return
			}
			start = end
		}
	}
}
