package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// globalFlags are the flags of every subcommand. Once a subcommand runs, a flag
// that was not given has the value of the environment or the configuration.
type globalFlags struct {
	json, quiet  bool
	config       string
	timeout      time.Duration
	allowPrivate bool
	allowPort    []uint16
	maxSize      int64 // octets; 0: no limit
	gateway      []string
	noGateway    bool
}

func (a *app) addGlobalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.BoolVar(&a.flags.json, "json", false, "write one JSON object a line")
	f.BoolVar(&a.flags.quiet, "quiet", false, "leave out notes and what is good; errors stay")
	f.StringVar(&a.flags.config, "config", "", "read the configuration from `FILE`")
	f.DurationVar(&a.flags.timeout, "timeout", 0, "give up a connection, a silence or an answer after `D` (\"20s\", \"2m\")")
	f.BoolVar(&a.flags.allowPrivate, "allow-private", false, "allow addresses that are not public, wherever the URL comes from")
	f.Var((*ports)(&a.flags.allowPort), "allow-port", "allow port `N` besides the scheme's own (may be given again)")
	f.StringArrayVar(&a.flags.gateway, "gateway", nil, "have URLs of a scheme, or \"all\", go by way of a gateway: `SCHEME=GATEWAY` (may be given again)")
	f.BoolVar(&a.flags.noGateway, "no-gateway", false, "go by way of no gateway or proxy")
	f.Var((*size)(&a.flags.maxSize), "max-size", "refuse objects of more than `N` octets (\"10M\", \"5G\")")
}

// configError is an error of the file or the environment. No flag is wrong.
type configError struct{ error }

// loadConfig reads the configuration, and gives the flags that were not set its values.
func (a *app) loadConfig(flags *pflag.FlagSet) error {
	source := configSource{file: a.flags.config, env: a.env, environ: a.environ}
	for _, s := range a.registry.All() {
		source.schemes = append(source.schemes, s.Name)
	}
	if err := source.read(&a.config); err != nil {
		return configError{fmt.Errorf("configuration: %w", err)}
	}
	f, c := &a.flags, &a.config
	if !flags.Changed("timeout") {
		f.timeout = time.Duration(c.Timeout)
	}
	if !flags.Changed("allow-private") {
		f.allowPrivate = c.Policy.AllowPrivate
	}
	if !flags.Changed("allow-port") {
		f.allowPort = c.Policy.AllowPorts
	}
	if !flags.Changed("max-size") {
		f.maxSize = int64(c.Policy.MaxSize)
	}
	if f.timeout < 0 {
		return errors.New("--timeout can't be negative")
	}
	return nil
}

// cacheFolder is the folder in which this program keeps what it can make again. It is
// empty, with a reason for people, if there is no such folder.
func (a *app) cacheFolder() (folder, reason string) {
	if folder = userFolder(a.env, "XDG_CACHE_HOME", ".cache"); folder == "" {
		return "", "neither XDG_CACHE_HOME nor HOME is set"
	}
	return folder, ""
}

// inHome returns path with the home folder in place of a "~" that it begins with,
// which no shell has seen.
func (a *app) inHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && a.env("HOME") != "" && (rest == "" || rest[0] == '/') {
		return filepath.Join(a.env("HOME"), rest)
	}
	return path
}
