package telnettest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/locus-url/locus/internal/nvt"
)

// Octets of subnegotiations of TN3270E (RFC 2355 section 7).
const (
	extConnect    = 1
	extDeviceType = 2
	extFunctions  = 3
	extIs         = 4
	extReason     = 5
	extReject     = 6
	extRequest    = 7
	extSend       = 8
)

// Reasons for rejecting a device.
const (
	noSuchDevice = 3
	noSuchType   = 4
)

// Functions of TN3270E (RFC 2355 section 7.2.2).
const (
	bindImage = 0
	responses = 2
	sysReq    = 4
)

// Kinds of records, and other octets of their headers (RFC 2355 section 8.1).
const (
	kind3270Data   = 0
	kindResponse   = 2
	kindBindImage  = 3
	kindUnbind     = 4
	kindSSCPLUData = 7
	headerSize     = 5
	responseAlways = 2
	normalEnd      = 1 // of a session, in UNBIND
)

// negotiateExtended offers TN3270E, if configured, and waits until the functions are
// agreed on or the terminal refuses.
func (h *Host) negotiateExtended() error {
	if !h.o.Extended {
		return nil
	}
	if err := errors.Join(h.request(theirs, nvt.TN3270E), h.wait()); err != nil || !h.Enabled(theirs, nvt.TN3270E) {
		return err
	}
	h.expectAnswer(nvt.TN3270E)
	return errors.Join(h.Sub(nvt.TN3270E, []byte{extSend, extDeviceType}), h.wait())
}

// extend handles a subnegotiation of TN3270E.
func (h *Host) extend(data []byte) {
	switch {
	case bytes.HasPrefix(data, []byte{extDeviceType, extRequest}):
		h.deviceAsked(data[2:])
	case bytes.HasPrefix(data, []byte{extFunctions, extRequest}):
		h.functionsAsked(data[2:])
	case bytes.HasPrefix(data, []byte{extFunctions, extIs}):
		h.agree(data[2:])
	}
}

// deviceAsked assigns a device to the terminal or rejects it.
func (h *Host) deviceAsked(data []byte) {
	kind, name, named := bytes.Cut(data, []byte{extConnect})
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
			h.Sub(nvt.TN3270E, slices.Concat([]byte{extDeviceType, extIs}, kind, []byte{extConnect}, []byte(h.device)))
			return
		}
		reason = noSuchDevice
	}
	h.device = ""
	h.Sub(nvt.TN3270E, []byte{extDeviceType, extReject, extReason, reason})
}

// functionsAsked agrees to functions, or asks for those that the host has.
func (h *Host) functionsAsked(list []byte) {
	common := slices.DeleteFunc(slices.Clone(list), func(f byte) bool { return !slices.Contains(h.o.Functions, f) })
	if len(common) < len(list) {
		h.Sub(nvt.TN3270E, append([]byte{extFunctions, extRequest}, common...))
		return
	}
	h.agree(common)
	h.Sub(nvt.TN3270E, append([]byte{extFunctions, extIs}, common...))
}

func (h *Host) agree(functions []byte) {
	if h.device == "" {
		return
	}
	h.functions, h.extended = slices.Clone(functions), true
	h.log(fmt.Sprintf("functions % X", functions))
	h.gotAnswer(nvt.TN3270E)
}

// bindImage returns the BIND of a session, with the part that terminals read: the screen
// sizes.
func (h *Host) bindImage() []byte {
	const (
		defaultRows = 20 // and columns, the alternate rows and columns, and which of them
		bothSizes   = 0x7F
	)
	rows, columns := h.Size()
	image := make([]byte, 28)
	copy(image, []byte{0x31, 0x01, 0x03, 0x03})
	copy(image[defaultRows:], []byte{24, 80, byte(rows), byte(columns), bothSizes})
	return image
}
