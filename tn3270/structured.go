package tn3270

import "slices"

// The structured fields that do something here.
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

// The types of Read Partition besides the commands that read.
const (
	readQuery     = 0x02
	readQueryList = 0x03
)

// noPartition is the partition of a query.
const noPartition = 0xFF

// structured does the structured fields of a record. Of reads there is one, which
// is the last.
func (s *Screen) structured(in *stream) (reply []byte, err error) {
	for in.more() {
		in.start = in.at
		field, err := takeStructured(in)
		if err != nil {
			return reply, err
		}
		if reply != nil {
			return reply, in.fault("something follows a Read Partition")
		}
		if reply, err = s.structuredField(field); err != nil {
			return nil, err
		}
	}
	return reply, nil
}

// takeStructured returns the next structured field, behind its length, as a stream
// of its own that is not empty.
func takeStructured(in *stream) (*stream, error) {
	octets, err := in.take(2)
	if err != nil {
		return nil, err
	}
	length := int(octets[0])<<8 | int(octets[1])
	if length == 0 { // up to the end of the record
		length = len(in.record) - in.start
	}
	if length < 3 {
		return nil, in.fault("a structured field of %d octets", length)
	}
	if _, err := in.take(length - 2); err != nil {
		return nil, err
	}
	return &stream{record: in.record[:in.at], start: in.start, at: in.start + 2}, nil
}

// structuredField does one. Those that are not known here are passed over.
func (s *Screen) structuredField(in *stream) (reply []byte, err error) {
	switch in.next() {
	case sfReadPartition:
		return s.readPartition(in)
	case sfEraseReset:
		return nil, s.eraseReset(in)
	case sfSetReplyMode:
		return nil, s.setReplyMode(in)
	case sfOutbound:
		return nil, s.outbound(in)
	case sfCreatePartition:
		return nil, s.createPartition(in)
	case sfDestroyPartition:
		if err := takePartition(in); err != nil {
			return nil, err
		}
		s.implicitPartition(false)
	case sfResetPartition:
		if err := takePartition(in); err != nil {
			return nil, err
		}
		s.resetReplyMode()
	}
	return nil, nil
}

// takePartition takes the number of the partition, which is 0.
func takePartition(in *stream) error {
	pid, err := in.take(1)
	if err == nil && pid[0] != 0 {
		err = in.fault("there is no partition %d", pid[0])
	}
	return err
}

// implicitPartition makes the screen what it is without Create Partition.
func (s *Screen) implicitPartition(alternate bool) {
	s.wide = false
	s.resetReplyMode()
	s.eraseTo(s.sizeOf(alternate))
}

func (s *Screen) eraseReset(in *stream) error {
	size, err := in.take(1)
	if err != nil {
		return err
	}
	switch size[0] {
	case 0x00:
		s.implicitPartition(false)
	case 0x80:
		s.implicitPartition(true)
	default:
		return in.fault("no size of Erase/Reset is %02X", size[0])
	}
	return nil
}

func (s *Screen) setReplyMode(in *stream) error {
	if err := takePartition(in); err != nil {
		return err
	}
	mode, err := in.take(1)
	if err != nil {
		return err
	}
	if mode[0] > replyCharacter {
		return in.fault("no reply mode is %02X", mode[0])
	}
	s.resetReplyMode()
	s.replyMode = mode[0]
	if s.replyMode != replyCharacter {
		return nil
	}
	for _, p := range (attributes{}).pairs() {
		if slices.Contains(in.record[in.at:], p[0]) {
			s.replyTypes = append(s.replyTypes, p[0])
		}
	}
	return nil
}

// outbound does a command that writes, in a structured field.
func (s *Screen) outbound(in *stream) error {
	if err := takePartition(in); err != nil {
		return err
	}
	code, err := in.take(1)
	if err != nil {
		return err
	}
	switch code[0] {
	case cmdWrite, cmdEraseWrite, cmdEraseWriteAlternate, cmdEraseAllUnprotected:
		return s.write(code[0], in)
	}
	return in.fault("no command that writes is %02X", code[0])
}

// createPartition takes a partition 0 that has one of the two sizes. What is left of
// it is a choice: addresses of 16 bits.
func (s *Screen) createPartition(in *stream) error {
	if err := takePartition(in); err != nil {
		return err
	}
	modes, err := in.take(1)
	if err != nil {
		return err
	}
	unit, addressing := modes[0]>>4, modes[0]&0x0F
	if unit != 0 || addressing > 1 {
		return in.fault("a partition of units and addresses %02X", modes[0])
	}
	alternate := false
	if rest := in.record[in.at:]; len(rest) > 1 { // flags, then height and width
		octets, err := in.take(5)
		if err != nil {
			return err
		}
		size := dimensions{int(octets[1])<<8 | int(octets[2]), int(octets[3])<<8 | int(octets[4])}
		if size != models[2] && size != s.alternate {
			return in.fault("a partition of %d by %d, which is no size of the screen", size.Rows, size.Columns)
		}
		alternate = size == s.alternate
	}
	s.implicitPartition(alternate)
	s.wide = addressing == 1
	return nil
}

// readPartition replies to a query, or to a command that reads.
func (s *Screen) readPartition(in *stream) (reply []byte, err error) {
	octets, err := in.take(2)
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
	return nil, in.fault("no Read Partition is %02X of partition %02X", kind, pid)
}

// inboundHead is the beginning of an Inbound 3270DS of partition 0, without its
// length.
func inboundHead() []byte { return []byte{aidStructured, 0, 0, sfInbound, 0} }

// inbound puts the length into one.
func inbound(reply []byte) []byte {
	n := len(reply) - 1 // without the AID
	reply[1], reply[2] = byte(n>>8), byte(n)
	return reply
}
