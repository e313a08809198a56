package telnet

import (
	"fmt"

	"github.com/locus-url/locus/scheme"
)

// functionKeys holds the numbers of the keys F1 to F12 in terminal control sequences.
var functionKeys = [...]int{11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24}

// Keys implements [scheme.KeyTerminal].
func (t *conn3270) Keys() []scheme.Key {
	keys := []scheme.Key{{Label: "Enter", Input: "\r"}, {Label: "Clear", Input: "\x03"}, {Label: "Tab", Input: "\t"}, {Label: "Reset", Input: "\x1br"}}
	for i, n := range functionKeys {
		keys = append(keys, scheme.Key{Label: fmt.Sprintf("PF%d", i+1), Input: fmt.Sprintf("\x1b[%d~", n)})
	}
	for i := range 3 {
		keys = append(keys, scheme.Key{Label: fmt.Sprintf("PA%d", i+1), Input: fmt.Sprintf("\x1b%d", i+1)})
	}
	for i, n := range functionKeys {
		keys = append(keys, scheme.Key{Label: fmt.Sprintf("PF%d", i+13), Input: fmt.Sprintf("\x1b[%d;2~", n)})
	}
	return keys
}
