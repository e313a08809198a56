package nvt

// Option is an option that a [Conn] accepts.
type Option struct {
	Code byte
	Us   bool // accept the option for this side
	Them bool // accept the option for the other side
	// Sub is called with the data of a subnegotiation that the other side sent. The data is
	// valid until Sub returns. Read calls both Sub and Changed. If Sub is nil, Read ignores
	// the data.
	Sub func(data []byte)
	// Changed is called when the option is enabled or disabled, or when the other side rejects
	// a request of Ask to enable the option. If us is true, the state of this side has
	// changed, otherwise the state of the other side. Changed may be nil.
	Changed func(us, on bool)
}

// optionState is the state of one side of an option (RFC 1143 section 7).
type optionState uint8

const (
	no optionState = iota
	yes
	wantNo          // this side requested to turn the option off
	wantNoOpposite  // like wantNo, but this side will request the option again after the answer
	wantYes         // this side requested to turn the option on
	wantYesOpposite // like wantYes, but this side will turn the option off after the answer
)

func (s optionState) on() bool { return s == yes || s == wantNo || s == wantNoOpposite }

type answer uint8

const (
	silence answer = iota
	agree          // DO or WILL
	refuse         // DONT or WONT
)

// transition holds the next state of an option and the answer to send.
type transition struct {
	state  optionState
	answer answer
}

// The tables of RFC 1143 section 7 map each state to a transition. The first two tables apply if
// the other side reports that the option is on or off. The last two apply if this side requests to
// turn the option on or off. For the state no, receivedOn assumes that this side accepts the
// option. In the state wantNo, a peer that answers DONT with WILL violates the protocol.
var (
	receivedOn = [...]transition{
		no: {yes, agree}, yes: {yes, silence}, wantNo: {no, silence},
		wantNoOpposite: {yes, silence}, wantYes: {yes, silence}, wantYesOpposite: {wantNo, refuse},
	}
	receivedOff = [...]transition{
		no: {no, silence}, yes: {no, refuse}, wantNo: {no, silence},
		wantNoOpposite: {wantYes, agree}, wantYes: {no, silence}, wantYesOpposite: {no, silence},
	}
	requestOn = [...]transition{
		no: {wantYes, agree}, yes: {yes, silence}, wantNo: {wantNoOpposite, silence},
		wantNoOpposite: {wantNoOpposite, silence}, wantYes: {wantYes, silence}, wantYesOpposite: {wantYes, silence},
	}
	requestOff = [...]transition{
		no: {no, silence}, yes: {wantNo, refuse}, wantNo: {wantNo, silence},
		wantNoOpposite: {wantNo, silence}, wantYes: {wantYesOpposite, silence}, wantYesOpposite: {wantYesOpposite, silence},
	}
)

// receive returns the next state and the answer to a received command. For WILL and DO, isEnabled
// is true, and for WONT and DONT, it is false. If this side accepts the option, isAccepted must be
// true.
func (s optionState) receive(isEnabled, isAccepted bool) (optionState, answer) {
	t := receivedOff[s]
	switch {
	case isEnabled && s == no && !isAccepted:
		return no, refuse
	case isEnabled:
		t = receivedOn[s]
	}
	return t.state, t.answer
}

// request returns the next state and the command to send when this side requests that the option
// be enabled or disabled.
func (s optionState) request(enable bool) (optionState, answer) {
	t := requestOff[s]
	if enable {
		t = requestOn[s]
	}
	return t.state, t.answer
}

func (a answer) command(us bool) byte {
	switch {
	case us && a == agree:
		return WILL
	case us:
		return WONT
	case a == agree:
		return DO
	}
	return DONT
}
