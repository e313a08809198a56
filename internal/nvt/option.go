package nvt

// Option is an option that a [Conn] agrees to.
type Option struct {
	Code byte
	Us   bool // agree to do it
	Them bool // agree that the other side does it
	// Sub is called with the data of their subnegotiation, valid until it returns. It is
	// called by Read, as Changed is. nil: ignored.
	Sub func(data []byte)
	// Changed is called when the option goes on or off, on our side or theirs, or stays
	// off although Ask asked for it. nil: no calls.
	Changed func(us, on bool)
}

// optionState is the state of one side of an option (RFC 1143 section 7).
type optionState uint8

const (
	no optionState = iota
	yes
	wantNo          // we asked for its end
	wantNoOpposite  // then we will ask for it again
	wantYes         // we asked for it
	wantYesOpposite // then we will ask for its end
)

func (s optionState) on() bool { return s == yes || s == wantNo || s == wantNoOpposite }

type answer uint8

const (
	silence answer = iota
	agree          // DO or WILL
	refuse         // DONT or WONT
)

// transition is the next state of an option and the reply to send.
type transition struct {
	state  optionState
	answer answer
}

// The tables of RFC 1143 section 7, by state: the other side says that the option is on
// or off, and we want it on or off. In state no, receivedOn assumes that we agree.
// WILL in answer to DONT, in state wantNo, is an error of the other side.
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

// receive returns the next state and the answer to WILL or DO (on), WONT or DONT.
// agreed: we agree to the option.
func (s optionState) receive(on, agreed bool) (optionState, answer) {
	t := receivedOff[s]
	switch {
	case on && s == no && !agreed:
		return no, refuse
	case on:
		t = receivedOn[s]
	}
	return t.state, t.answer
}

// request returns the next state and what to send if we want the option on or off.
func (s optionState) request(on bool) (optionState, answer) {
	t := requestOff[s]
	if on {
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
