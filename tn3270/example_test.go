package tn3270_test

import (
	"fmt"

	"github.com/locus-url/locus/tn3270"
)

// A host shows a form, a user fills it in, and the host reads the input.
func Example() {
	host, err := tn3270.NewBuilder(nil)
	if err != nil {
		panic(err)
	}
	record, err := host.EraseWrite(tn3270.KeyboardRestore).
		Text("LOGON").
		At(2, 1).Field(tn3270.Protected).Text("User").At(2, 7).Field(0).InsertCursor().
		At(2, 16).Field(tn3270.Skip).
		At(3, 1).Field(tn3270.Protected).Text("Word").At(3, 7).Field(tn3270.Hidden).
		At(3, 16).Field(tn3270.Skip).
		Record()
	if err != nil {
		panic(err)
	}

	screen, err := tn3270.New(nil)
	if err != nil {
		panic(err)
	}
	if _, err := screen.Receive(record); err != nil {
		panic(err)
	}
	if err := screen.Type("ADA\tSESAME"); err != nil { // a tab goes to the next field
		panic(err)
	}
	fmt.Println(screen.Text()[:len("LOGON\n User  ADA\n Word")])
	sent, err := screen.Press(tn3270.Enter)
	if err != nil {
		panic(err)
	}
	fmt.Println(screen.Status().Lock)

	answer, err := tn3270.ParseInbound(sent, "")
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Key)
	for _, f := range answer.Fields {
		fmt.Printf("row %d: %s\n", f.Address/80+1, f.Value)
	}
	// Output:
	// LOGON
	//  User  ADA
	//  Word
	// X SYSTEM
	// Enter
	// row 2: ADA
	// row 3: SESAME
}

func ExampleScreen_Fields() {
	screen, err := tn3270.New(nil)
	if err != nil {
		panic(err)
	}
	record := []byte("\xF5\xC2" + // Erase/Write, which unlocks the keyboard
		"\x11\x40\x50" + "\x1D\x60" + "\xD5\x81\x94\x85" + // at 16: protected, "Name"
		"\x1D\x40" + "\x13") // for input, and the cursor
	if _, err := screen.Receive(record); err != nil {
		panic(err)
	}
	for _, f := range screen.Fields() {
		fmt.Println(f.Row, f.Column, f.Protected, f.Value)
	}
	// Output:
	// 1 18 true Name
	// 1 23 false
}

func ExampleDecoder() {
	var d tn3270.Decoder
	for _, in := range d.Decode(nil, []byte("yes\r\x1b[15~\x1b1")) {
		if in.Key == 0 {
			fmt.Println("type", in.Text)
		} else {
			fmt.Println("press", in.Key)
		}
	}
	// Output:
	// type yes
	// press Enter
	// press PF5
	// press PA1
}
