package main

import (
	"fmt"
	"slices"

	"github.com/locus-url/locus"
	"github.com/spf13/pflag"
)

// screenFlags are about the terminal of tn3270.
type screenFlags struct{ model, codePage, device string }

func (s *screenFlags) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.model, "model", "", "tn3270: the terminal is of model `N`: 2 has 24x80, 3 32x80, 4 43x80, 5 27x132 (default 2)")
	f.StringVar(&s.codePage, "code-page", "", "tn3270: the host has the characters of code page `NUMBER`, such as 037, 273, 500, 1047, 1140 (default 037)")
	f.StringVar(&s.device, "device", "", "tn3270: ask for the device or group `NAME`")
}

// settle has the flags take the place of what the configuration says.
func (s *screenFlags) settle(f *pflag.FlagSet, c *tn3270Config) error {
	if f.Changed("model") {
		if err := c.Model.UnmarshalText([]byte(s.model)); err != nil {
			return fmt.Errorf("--model: %w", err)
		}
	}
	if f.Changed("code-page") {
		if err := c.CodePage.UnmarshalText([]byte(s.codePage)); err != nil {
			return fmt.Errorf("--code-page: %w", err)
		}
	}
	if f.Changed("device") {
		c.Device = s.device
	}
	return nil
}

// sessionSchemes are those whose URLs lead to sessions.
var sessionSchemes = []string{"telnet", "rlogin", "tn3270"}

func isSession(u locus.URL) bool { return slices.Contains(sessionSchemes, u.Scheme()) }
