package ardp

import (
	"fmt"
	"strings"
)

// describe returns a description of a datagram for Call.Trace. The argument cancelText describes
// option 1, whose meaning depends on the sender.
func describe(h *Header, data int, cancelText string) string {
	var b strings.Builder
	switch number, total := h.Position(); {
	case number == 0:
		b.WriteString("control packet")
	case total == 0:
		fmt.Fprintf(&b, "packet %d", number)
	default:
		fmt.Fprintf(&b, "packet %d of %d", number, total)
	}
	if data > 0 {
		fmt.Fprintf(&b, ", %d bytes", data)
	}
	if h.Has(FieldThrough) {
		fmt.Fprintf(&b, ", received through %d", h.Through)
	}
	if h.Wait > 0 {
		fmt.Fprintf(&b, ", wait %d s", h.Wait)
	}
	if h.Flags&FlagSequenced != 0 {
		b.WriteString(", for control")
	}
	if h.Flags&FlagAcknowledge != 0 {
		b.WriteString(", please acknowledge")
	}
	switch o, _ := parseOption(h); h.Option {
	case 0:
	case OptionCancel:
		b.WriteString(", " + cancelText)
	case OptionRedirect, OptionRedirectAll:
		fmt.Fprintf(&b, ", redirect to %v", o.redirect)
	case OptionQueue:
		fmt.Fprintf(&b, ", queue position %d, expected in %v", o.queue.Position, o.queue.Expected)
	default:
		fmt.Fprintf(&b, ", option %d", h.Option)
	}
	return b.String()
}
