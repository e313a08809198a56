package tn3270

import "slices"

// These constants are the codes of the structured fields that this package implements.
const (
	sfResetPartition   = 0x00
	sfReadPartition    = 0x01
	sfEraseReset       = 0x03
	sfSetReplyMode     = 0x09
	sfCreatePartition  = 0x0C
	sfDestroyPartition = 0x0D
	sfOutbound         = 0x40 // Outbound 3270DS

	sfInbound    = 0x80 // Inbound 3270DS
	sfQueryReply = 0x81
)

// These constants are the types of Read Partition that are not read commands.
const (
	readQuery     = 0x02
	readQueryList = 0x03
)

// noPartition is the partition number in a query.
const noPartition = 0xFF

// executeFields executes the structured fields of a record. Only the last field may be a Read
// Partition.
func (s *Screen) executeFields(in *stream) (reply []byte, err error) {
	for in.hasMore() {
		in.itemOffset = in.offset
		field, err := takeStructured(in)
		if err != nil {
			return reply, err
		}
		if reply != nil {
			return reply, in.fault("data after a Read Partition")
		}
		if reply, err = s.executeField(field); err != nil {
			return nil, err
		}
	}
	return reply, nil
}

// takeStructured reads the next structured field. It returns the field as a non-empty
// stream, without its length.
func takeStructured(in *stream) (*stream, error) {
	octets, err := in.readOctets(2)
	if err != nil {
		return nil, err
	}
	length := int(octets[0])<<8 | int(octets[1])
	if length == 0 { // the field extends to the end of the record
		length = len(in.record) - in.itemOffset
	}
	if length < 3 {
		return nil, in.fault("a structured field of %d octets", length)
	}
	if _, err := in.readOctets(length - 2); err != nil {
		return nil, err
	}
	return &stream{record: in.record[:in.offset], itemOffset: in.itemOffset, offset: in.itemOffset + 2}, nil
}

// executeField executes a structured field. It skips fields of unknown types.
func (s *Screen) executeField(in *stream) (reply []byte, err error) {
	kind := in.readOctet()
	switch kind {
	case sfReadPartition:
		return s.readPartition(in)
	case sfEraseReset:
		return nil, s.eraseReset(in)
	case sfSetReplyMode, sfOutbound, sfCreatePartition, sfDestroyPartition, sfResetPartition:
		pid, err := in.readOctets(1)
		if err != nil {
			return nil, err
		}
		if pid[0] != 0 {
			return nil, in.fault("there is no partition %d", pid[0])
		}
	}
	switch kind {
	case sfSetReplyMode:
		return nil, s.setReplyMode(in)
	case sfOutbound:
		return nil, s.outbound(in)
	case sfCreatePartition:
		return nil, s.createPartition(in)
	case sfDestroyPartition:
		s.resetPartition(false)
	case sfResetPartition:
		s.resetReplyMode()
	}
	return nil, nil
}

// resetPartition resets the screen to the implicit partition, which exists before any Create
// Partition.
func (s *Screen) resetPartition(alternate bool) {
	s.isWide = false
	s.resetReplyMode()
	s.eraseTo(s.sizeOf(alternate))
}

func (s *Screen) eraseReset(in *stream) error {
	size, err := in.readOctets(1)
	if err != nil {
		return err
	}
	switch size[0] {
	case 0x00:
		s.resetPartition(false)
	case 0x80:
		s.resetPartition(true)
	default:
		return in.fault("unknown size %02X of Erase/Reset", size[0])
	}
	return nil
}

func (s *Screen) setReplyMode(in *stream) error {
	mode, err := in.readOctets(1)
	if err != nil {
		return err
	}
	if mode[0] > replyCharacter {
		return in.fault("unknown reply mode %02X", mode[0])
	}
	s.resetReplyMode()
	s.replyMode = mode[0]
	if s.replyMode != replyCharacter {
		return nil
	}
	for _, p := range (attributes{}).pairs() {
		if slices.Contains(in.record[in.offset:], p[0]) {
			s.replyTypes = append(s.replyTypes, p[0])
		}
	}
	return nil
}

func (s *Screen) outbound(in *stream) error {
	code, err := in.readOctets(1)
	if err != nil {
		return err
	}
	switch code[0] {
	case cmdWrite, cmdEraseWrite, cmdEraseWriteAlternate, cmdEraseAllUnprotected:
		return s.write(code[0], in)
	}
	return in.fault("unknown write command %02X", code[0])
}

// createPartition creates partition 0 with the default or the alternate size. The host may select
// 16-bit addresses.
func (s *Screen) createPartition(in *stream) error {
	modes, err := in.readOctets(1)
	if err != nil {
		return err
	}
	unit, addressing := modes[0]>>4, modes[0]&0x0F
	if unit != 0 || addressing > 1 {
		return in.fault("a partition of units and addresses %02X", modes[0])
	}
	alternate := false
	if rest := in.record[in.offset:]; len(rest) > 1 { // flags, followed by height and width
		octets, err := in.readOctets(5)
		if err != nil {
			return err
		}
		size := dimensions{int(octets[1])<<8 | int(octets[2]), int(octets[3])<<8 | int(octets[4])}
		if size != models[2] && size != s.alternate {
			return in.fault("a partition of %d by %d is not a size of the screen", size.Rows, size.Columns)
		}
		alternate = size == s.alternate
	}
	s.resetPartition(alternate)
	s.isWide = addressing == 1
	return nil
}

func (s *Screen) readPartition(in *stream) (reply []byte, err error) {
	octets, err := in.readOctets(2)
	if err != nil {
		return nil, err
	}
	pid, kind := octets[0], octets[1]
	switch {
	case pid == noPartition && kind == readQuery:
		return s.queryReply(nil), nil
	case pid == noPartition && kind == readQueryList:
		return s.queryList(in)
	case pid == 0 && kind == cmdReadBuffer:
		return inbound(s.readBuffer(inboundHead(), aidReadReply)), nil
	case pid == 0 && (kind == cmdReadModified || kind == cmdReadModifiedAll):
		return inbound(s.readModified(inboundHead(), aidReadReply, kind == cmdReadModifiedAll)), nil
	}
	return nil, in.fault("unknown Read Partition %02X of partition %02X", kind, pid)
}

// inboundHead returns the beginning of an Inbound 3270DS for partition 0, without its length.
func inboundHead() []byte { return []byte{aidStructured, 0, 0, sfInbound, 0} }

func inbound(reply []byte) []byte {
	n := len(reply) - 1 // length without the AID
	reply[1], reply[2] = byte(n>>8), byte(n)
	return reply
}
