package nvt

// Option is one that a [Conn] agrees to.
type Option struct {
	Code byte
	Us   bool // we do it if we are asked to
	Them bool // we let them do it
	// Sub is given what their subnegotiation holds, which is good until it returns.
	// It runs where Read does, as Changed. nil: nothing is done.
	Sub func(data []byte)
	// Changed is told that the option has gone on or off, on our side or theirs, or
	// stays off although Ask asked for it. nil: nobody.
	Changed func(us, on bool)
}

// state is how one side of an option stands (RFC 1143 section 7).
type state uint8

const (
	no state = iota
	yes
	wantNo          // we asked them to stop, or said that we would
	wantNoOpposite  // and are going to ask for it again after that
	wantYes         // we asked for it, or offered it
	wantYesOpposite // and are going to ask for its end after that
)

// on reports whether the option is in force in that state.
func (s state) on() bool { return s == yes || s == wantNo || s == wantNoOpposite }

// answer is what is to be said of an option.
type answer uint8

const (
	silence answer = iota
	agree          // DO or WILL
	refuse         // DONT or WONT
)

// heard is what becomes of s when the other side says that it is on or off (WILL or
// DO, WONT or DONT). wanted: we agree to it.
func (s state) heard(on, wanted bool) (state, answer) {
	if on {
		switch s {
		case no:
			if wanted {
				return yes, agree
			}
			return no, refuse
		case wantNo:
			// They answered DONT with WILL, or WONT with DO, which nobody may.
			return no, silence
		case wantNoOpposite, wantYes:
			return yes, silence
		case wantYesOpposite:
			return wantNo, refuse
		}
		return s, silence
	}
	switch s {
	case yes:
		return no, refuse
	case wantNoOpposite:
		return wantYes, agree
	}
	return no, silence
}

// asked is what becomes of s when we want it on or off.
func (s state) asked(on bool) (state, answer) {
	if on {
		switch s {
		case no:
			return wantYes, agree
		case wantNo:
			return wantNoOpposite, silence
		case wantYesOpposite:
			return wantYes, silence
		}
		return s, silence
	}
	switch s {
	case yes:
		return wantNo, refuse
	case wantNoOpposite:
		return wantNo, silence
	case wantYes:
		return wantYesOpposite, silence
	}
	return s, silence
}

// side is our half of an option or theirs.
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
