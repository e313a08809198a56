package base

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/internal/command/config"
)

// Flags holds the flags that all subcommands accept. During a run, the environment or the
// configuration provides the value of a flag that the user did not set.
type Flags struct {
	JSON, Quiet    bool
	Config         string
	Timeout        time.Duration
	MaxTime        time.Duration // zero means no limit
	AllowPrivate   bool
	AllowLinkLocal bool // permits link-local addresses; URLs that the user did not type also need AllowPrivate
	AllowPorts     []uint16
	MaxSize        int64 // maximum size in bytes; zero means no limit
	Proxies        []string
	NoProxy        bool
	UserAgent      string // User-Agent field of HTTP requests; empty selects the default
	Header         http.Header
	HostFields     []HostField // header fields for URLs that match a pattern
	headerLines    []string
}

func (a *App) addGlobalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.SortFlags = false
	f.AddFlagSet(flagGroup(networkGroup, func(f *pflag.FlagSet) {
		f.Var((*config.Duration)(&a.Flags.Timeout), "timeout", "wait at most `D` for a connection or response (20, 2m)")
		f.Var((*config.Duration)(&a.Flags.MaxTime), "max-time", "end a transfer that takes longer than `D` (90, 10m)")
		f.Var((*config.Size)(&a.Flags.MaxSize), "max-size", "reject objects larger than `N` bytes (10M, 5G)")
		f.BoolVar(&a.Flags.AllowPrivate, "allow-private", false, "allow addresses that are not public")
		f.BoolVar(&a.Flags.AllowLinkLocal, "allow-link-local", false, "also allow link-local addresses, such as cloud metadata (with --allow-private)")
		f.Var((*config.Ports)(&a.Flags.AllowPorts), "allow-port", "allow port `N` besides the scheme's own (repeatable)")
		f.StringArrayVar(&a.Flags.Proxies, "gateway", nil, "use a proxy for a scheme or \"all\": `SCHEME=PROXY` (repeatable)")
		f.BoolVar(&a.Flags.NoProxy, "no-gateway", false, "use no proxy")
		f.StringVar(&a.Flags.UserAgent, "user-agent", "", "send `NAME` as the User-Agent of HTTP requests")
		f.StringArrayVar(&a.Flags.headerLines, "header", nil, "add `\"[HOST: ]NAME: VALUE\"` or lines of @FILE to HTTP requests (repeatable)")
	}))
	f.AddFlagSet(flagGroup(commonGroup, func(f *pflag.FlagSet) {
		f.BoolVar(&a.Flags.JSON, "json", false, "write JSON, one object per line")
		f.BoolVar(&a.Flags.Quiet, "quiet", false, "hide notes and good results; show errors")
		f.StringVar(&a.Flags.Config, "config", "", "read the configuration from `FILE`")
	}))
}

// DurationVar adds a duration flag. A number without a unit means seconds.
func DurationVar(f *pflag.FlagSet, p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	f.Var((*config.Duration)(p), name, usage)
}

type configError struct{ error }

// LoadConfig reads the configuration. It copies configured values to flags that the user
// did not set.
func (a *App) LoadConfig(flags *pflag.FlagSet) error {
	if err := a.configSource().Read(&a.Config); err != nil {
		return configError{fmt.Errorf("configuration: %w", err)}
	}
	return a.useConfig(flags)
}

// CheckConfig is like [App.LoadConfig], but the report contains all mistakes in the file and the
// environment. A non-nil error reports invalid flags.
func (a *App) CheckConfig(flags *pflag.FlagSet) (*config.Report, error) {
	report := a.configSource().Check(&a.Config)
	return report, a.useConfig(flags)
}

// Reread reads the configuration again. It returns a new App with the configuration, and with the
// flags, environment and standard error of a. The parameter flags holds the flags of the
// subcommand.
func (a *App) Reread(flags *pflag.FlagSet) (*App, *config.Report, error) {
	b := New(a.Context, a.In, io.Discard, a.ErrOut, a.Getenv)
	b.Environ, b.OutTTY, b.ErrTTY, b.Width = a.Environ, a.OutTTY, a.ErrTTY, a.Width
	b.Registry, b.NewRegistry, b.OpenTerminal, b.Interrupt = a.Registry, a.NewRegistry, a.OpenTerminal, a.Interrupt
	b.Flags = a.Flags
	b.Flags.Header, b.Flags.HostFields = nil, nil // CheckConfig sets these fields again
	report, err := b.CheckConfig(flags)
	return b, report, err
}

func (a *App) configSource() config.Source {
	return config.Source{File: a.Flags.Config, Getenv: a.Getenv, Environ: a.Environ, Schemes: a.SchemeNames()}
}

// useConfig copies configured values to flags that the user did not set.
func (a *App) useConfig(flags *pflag.FlagSet) error {
	f, c := &a.Flags, &a.Config
	if !flags.Changed("timeout") {
		f.Timeout = time.Duration(c.Timeout)
	}
	if !flags.Changed("max-time") {
		f.MaxTime = time.Duration(c.MaxTime)
	}
	if !flags.Changed("allow-private") {
		f.AllowPrivate = c.Policy.AllowPrivate
	}
	if !flags.Changed("allow-link-local") {
		f.AllowLinkLocal = c.Policy.AllowLinkLocal
	}
	if !flags.Changed("allow-port") {
		f.AllowPorts = c.Policy.AllowPorts
	}
	if !flags.Changed("max-size") {
		f.MaxSize = int64(c.Policy.MaxSize)
	}
	return a.readHeader()
}

// CacheFolder returns the directory for caches. If it can't determine the directory, it
// returns "" and the reason.
func (a *App) CacheFolder() (folder, reason string) {
	if folder = config.UserFolder(a.Getenv, "XDG_CACHE_HOME", ".cache"); folder == "" {
		return "", "neither XDG_CACHE_HOME nor HOME is set"
	}
	return folder, ""
}

// ExpandHome replaces a leading "~" with the home directory, in case the shell did not expand it.
func (a *App) ExpandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && a.Getenv("HOME") != "" && (rest == "" || rest[0] == '/') {
		return filepath.Join(a.Getenv("HOME"), rest)
	}
	return path
}
