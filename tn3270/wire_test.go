package tn3270_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/tn3270"
)

// wire returns recorded octets of a connection between a Hercules 3.13 console and s3270 4.1.
func wire(t testing.TB, name string) []byte {
	t.Helper()
	octets, err := os.ReadFile(filepath.Join("testdata", name+".bin"))
	if err != nil {
		t.Fatal(err)
	}
	return octets
}

// records removes the Telnet framing. It returns the data before each IAC EOR, without commands
// and options.
func records(octets []byte) (list [][]byte) {
	const iac, eor, se, sb = 0xFF, 0xEF, 0xF0, 0xFA
	var record []byte
	for i := 0; i < len(octets); i++ {
		if octets[i] != iac {
			record = append(record, octets[i])
			continue
		}
		i++
		switch octets[i] {
		case iac:
			record = append(record, iac)
		case eor:
			list, record = append(list, record), nil
		case sb:
			i += bytes.Index(octets[i:], []byte{iac, se}) + 1
		default: // DO, DONT, WILL, WONT
			i++
		}
	}
	return list
}

// hercules is the first screen of the Hercules console. The first column of each line is an
// attribute.
const hercules = `
 Hercules Version  : 3.13
 Host name         : vm
 Host OS           : Linux-6.18.44-fc-v657 #1 SMP PREEMPT_DYNAMIC @0
 Host Architecture : x86_64
 Processors        : MP=2
 Chanl Subsys      : 0
 Device number     : 0010
 Subchannel        : 0000

            HHH          HHH   The S/370, ESA/390 and z/Architecture
            HHH          HHH                 Emulator
            HHH          HHH
            HHH          HHH  EEEE RRR   CCC U  U L    EEEE  SSS
            HHHHHHHHHHHHHHHH  E    R  R C    U  U L    E    S
            HHHHHHHHHHHHHHHH  EEE  RRR  C    U  U L    EEE   SS
            HHHHHHHHHHHHHHHH  E    R R  C    U  U L    E       S
            HHH          HHH  EEEE R  R  CCC  UU  LLLL EEEE SSS
            HHH          HHH
            HHH          HHH
            HHH          HHH     My PC thinks it's a MAINFRAME

            Copyright (C) 1999-2010 Roger Bowler, Jan Jaeger, and others`

func TestHerculesFirstScreen(t *testing.T) {
	s := screen(t, &tn3270.Options{Extended: true})
	list := records(wire(t, "hercules-s3270-first-screen.s2c"))
	if len(list) != 1 {
		t.Fatalf("%d records", len(list))
	}
	if reply := receive(t, s, list[0]); reply != nil {
		t.Errorf("replied % X", reply)
	}
	wantText(t, s, hercules[1:])
	if got, want := s.Status(), (tn3270.Status{Mode: tn3270.Mode3270}); got != want {
		t.Errorf("%+v", got)
	}
	fields := s.Fields()
	if len(fields) != 30 {
		t.Errorf("%d fields", len(fields))
	}
	want := tn3270.Field{Row: 1, Column: 22, Address: 21, Length: 59, Protected: true, Intensified: true, Value: "3.13"}
	if fields[1] != want {
		t.Errorf("%+v", fields[1])
	}
}

// The key Clear must send only its AID, as s3270 does.
func TestHerculesClear(t *testing.T) {
	s := screen(t, nil)
	receive(t, s, records(wire(t, "hercules-s3270-clear.s2c"))[0])
	changed := strings.NewReplacer(": 0010", ": 0015", ": 0000", ": 0005")
	wantText(t, s, changed.Replace(hercules[1:]))
	sent := records(wire(t, "hercules-s3270-clear.c2s"))
	if got := press(t, s, tn3270.Clear); !bytes.Equal(got, sent[0]) {
		t.Errorf("sent % X, s3270 % X", got, sent[0])
	}
	if got := s.Status().Lock; got != tn3270.LockedSystem {
		t.Errorf("%v", got)
	}
	wantText(t, s, "")
}

// If a host receives WONT TERMINAL-TYPE, it must not send records.
func TestHerculesPlain(t *testing.T) {
	if got := records(wire(t, "hercules-plain-telnet.s2c")); got != nil {
		t.Errorf("%q", got)
	}
}
