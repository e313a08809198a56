package telnettest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/locus-url/locus/internal/nvt"
)

// These constants are the reasons for rejecting a device.
const (
	noSuchDevice = 3
	noSuchType   = 4
)

// normalEnd is the UNBIND code for the normal end of a session.
const normalEnd = 1

// negotiateExtended offers TN3270E, if configured, and waits until the terminal
// agrees on the functions or rejects TN3270E.
func (h *Host) negotiateExtended() error {
	if !h.o.Extended {
		return nil
	}
	if err := errors.Join(h.request(theirs, nvt.TN3270E), h.wait()); err != nil || !h.Enabled(theirs, nvt.TN3270E) {
		return err
	}
	h.expectAnswer(nvt.TN3270E)
	return errors.Join(h.Sub(nvt.TN3270E, []byte{nvt.TN3270ESend, nvt.TN3270EDeviceType}), h.wait())
}

func (h *Host) extend(data []byte) {
	switch {
	case bytes.HasPrefix(data, []byte{nvt.TN3270EDeviceType, nvt.TN3270ERequest}):
		h.deviceAsked(data[2:])
	case bytes.HasPrefix(data, []byte{nvt.TN3270EFunctions, nvt.TN3270ERequest}):
		h.functionsAsked(data[2:])
	case bytes.HasPrefix(data, []byte{nvt.TN3270EFunctions, nvt.TN3270EIs}):
		h.agree(data[2:])
	}
}

func (h *Host) deviceAsked(data []byte) {
	kind, name, named := bytes.Cut(data, []byte{nvt.TN3270EConnect})
	h.device = string(name)
	if !named {
		h.device = "LU0001"
		if len(h.o.Devices) > 0 {
			h.device = h.o.Devices[0]
		}
	}
	reason := byte(noSuchType)
	if h.isTerminal(string(kind)) {
		if h.o.Devices == nil || slices.Contains(h.o.Devices, h.device) {
			h.log("device " + h.device)
			h.Sub(nvt.TN3270E, slices.Concat([]byte{nvt.TN3270EDeviceType, nvt.TN3270EIs}, kind, []byte{nvt.TN3270EConnect}, []byte(h.device)))
			return
		}
		reason = noSuchDevice
	}
	h.device = ""
	h.Sub(nvt.TN3270E, []byte{nvt.TN3270EDeviceType, nvt.TN3270EReject, nvt.TN3270EReason, reason})
}

// functionsAsked answers the terminal's list of functions. If the host supports all functions in
// the list, functionsAsked accepts the list. Otherwise it proposes the functions in the list that
// the host supports.
func (h *Host) functionsAsked(list []byte) {
	common := slices.DeleteFunc(slices.Clone(list), func(f byte) bool { return !slices.Contains(h.o.Functions, f) })
	if len(common) < len(list) {
		h.Sub(nvt.TN3270E, append([]byte{nvt.TN3270EFunctions, nvt.TN3270ERequest}, common...))
		return
	}
	h.agree(common)
	h.Sub(nvt.TN3270E, append([]byte{nvt.TN3270EFunctions, nvt.TN3270EIs}, common...))
}

func (h *Host) agree(functions []byte) {
	if h.device == "" {
		return
	}
	h.functions, h.extended = slices.Clone(functions), true
	h.log(fmt.Sprintf("functions % X", functions))
	h.gotAnswer(nvt.TN3270E)
}

// bindImage returns the BIND image of a session. It contains only the screen sizes, because
// terminals ignore all other fields.
func (h *Host) bindImage() []byte {
	const (
		defaultRows = 20 // offset of the default rows and columns, which precede the alternate rows and columns and the size code
		bothSizes   = 0x7F
	)
	rows, columns := h.Size()
	image := make([]byte, 28)
	copy(image, []byte{0x31, 0x01, 0x03, 0x03})
	copy(image[defaultRows:], []byte{24, 80, byte(rows), byte(columns), bothSizes})
	return image
}
