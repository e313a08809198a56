package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
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

// ports is a list of port numbers as a flag, a variable or a configuration's
// value gives it.
type ports []uint16

var _ pflag.Value = (*ports)(nil)

// Set adds the ports of text, which commas divide.
func (p *ports) Set(text string) error {
	for _, field := range strings.Split(text, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(field), 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("a port is a number from 1 to 65535")
		}
		if !slices.Contains(*p, uint16(n)) {
			*p = append(*p, uint16(n))
		}
	}
	return nil
}

func (p *ports) String() string {
	list := make([]string, len(*p))
	for i, n := range *p {
		list[i] = strconv.Itoa(int(n))
	}
	return strings.Join(list, ",")
}

func (p *ports) Type() string { return "port" }

// UnmarshalText takes the ports of text in place of those that are there.
func (p *ports) UnmarshalText(text []byte) error {
	*p = nil
	if len(text) == 0 {
		return nil
	}
	return p.Set(string(text))
}

// UnmarshalTOML takes a list of numbers.
func (p *ports) UnmarshalTOML(value any) error {
	list, ok := value.([]any)
	if !ok {
		return fmt.Errorf("a list of ports is written [25, 119]")
	}
	*p = nil
	for _, n := range list {
		if err := p.Set(fmt.Sprint(n)); err != nil {
			return err
		}
	}
	return nil
}

// size is a number of octets: digits, and perhaps K, M, G or T for powers of
// 1024.
type size int64

var _ pflag.Value = (*size)(nil)

func (s *size) Set(text string) error {
	digits := strings.TrimSuffix(strings.ToUpper(text), "B")
	shift := 0
	if i := strings.IndexByte("KMGT", lastByte(digits)); i >= 0 {
		digits, shift = digits[:len(digits)-1], 10*(i+1)
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || n > math.MaxInt64>>shift {
		return fmt.Errorf("a size is a number of octets, perhaps with K, M, G or T behind it")
	}
	*s = size(n << shift)
	return nil
}

// lastByte returns the last octet of s, 0 if there is none.
func lastByte(s string) byte {
	if s == "" {
		return 0
	}
	return s[len(s)-1]
}

func (s *size) String() string {
	n := int64(*s)
	for i := len("KMGT"); i > 0; i-- {
		if unit := int64(1) << (10 * i); n >= unit && n%unit == 0 {
			return strconv.FormatInt(n/unit, 10) + "KMGT"[i-1:i]
		}
	}
	return strconv.FormatInt(n, 10)
}

func (s *size) Type() string { return "size" }

func (s *size) UnmarshalText(text []byte) error { return s.Set(string(text)) }
