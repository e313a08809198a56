package waistest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
)

// packetOf returns a packet. The header is the APDU header without its length, and the
// information is the user information.
func packetOf(header, information []byte) []byte {
	b := fmt.Appendf(nil, "%010dz2wais        0", 2+len(header)+len(information))
	b = append(b, byte(len(header)>>8), byte(len(header)))
	return append(append(b, header...), information...)
}

func searchHeader(database, queryType string) []byte {
	b := []byte{apduSearch, 0, 0, 30, 0, 19, 136, 0, 0, 30, 1, 17, 0}
	if database != "" {
		b = appendElement(b, 18, database)
	}
	return appendElement(b, 20, queryType)
}

// wordsPacket returns the packet of a search. The extra elements follow the words.
func wordsPacket(database, words string, maxDocuments uint32, extra ...byte) []byte {
	list := append(appendElement(nil, 106, words), extra...)
	return packetOf(searchHeader(database, "3"), appendElement(nil, 99, appendNumber(list, 114, maxDocuments)))
}

func examplePacket(database, words string, id []byte, chunk ...byte) []byte {
	return wordsPacket(database, words, 40, append(appendElement(appendElement(nil, 107, id), 133, "TEXT"), chunk...)...)
}

// termsPacket returns the packet of a retrieval by terms. The parameter terms lists pairs of
// attributes and values, such as "un", id, "wt", type. The attributes "wb ro" include a
// relation.
func termsPacket(database string, terms ...string) []byte {
	var query []byte
	for i := 0; i < len(terms); i += 2 {
		use, relation, ok := strings.Cut(terms[i], " ")
		if !ok {
			relation = "re"
		}
		query = appendElement(query, 44, use+" "+relation+" ig ig ig ig")
		query = appendElement(query, 45, terms[i+1])
		if i > 0 {
			query = appendElement(query, 46, "a")
		}
	}
	return packetOf(searchHeader(database, "1"), appendElement(nil, 21, query))
}

// localID returns a document-id with the given database and local id.
func localID(database, id string) string {
	return string(appendElement(appendElement(nil, 2, database), 3, id))
}

func rangePacket(database, id, wtype string, start, end int) []byte {
	return termsPacket(database, "un", localID(database, id), "wt", wtype, "wb ro", fmt.Sprint(start), "wb rl", fmt.Sprint(end))
}

// describeRecords describes the records in a packet as text.
func describeRecords(t testing.TB, packet []byte) string {
	t.Helper()
	if len(packet) == 0 {
		return "closed"
	}
	if len(packet) == headerSize {
		return "empty"
	}
	apdu := packet[headerSize:]
	size := int(apdu[0])<<8 | int(apdu[1])
	if apdu[2] != apduSearchReply {
		return fmt.Sprintf("APDU %d", apdu[2])
	}
	_, list, rest, ok := element(apdu[2+size:])
	if !ok || len(rest) > 0 {
		t.Fatalf("no user information: %q", packet)
	}
	records := []string{fmt.Sprintf("%d:", apdu[9])}
	for len(list) > 0 {
		if list[0] == 28 {
			n := int(list[1])<<8 | int(list[2])
			records = append(records, string(list[3:5]))
			list = list[3+n+1:]
			continue
		}
		tag, content, rest, ok := element(list)
		if !ok {
			t.Fatalf("no record: %q", list)
		}
		records = append(records, describeRecord(t, tag, content))
		list = rest
	}
	return strings.Join(records, " ")
}

// describeRecord describes a record as text. The text contains the score, headline and types
// of a hit, or the octets of a document.
func describeRecord(t testing.TB, tag int, group []byte) string {
	t.Helper()
	found := map[int]string{}
	for len(group) > 0 {
		tag, content, rest, ok := element(group)
		if !ok {
			t.Fatalf("no element: %q", group)
		}
		found[tag] = string(content)
		group = rest
	}
	if tag == 153 {
		return fmt.Sprintf("%q", found[127])
	}
	score, _ := readNumber([]byte(found[118]))
	return fmt.Sprintf("%d=%s", score, found[123])
}

func typed(wtype, data string) []Typed { return []Typed{{wtype, []byte(data)}} }

var shore = []Database{
	{Name: "shore", Keywords: []string{"sea"}, Description: "A \"shore\".\n", Documents: []Document{
		{Headline: "one", Types: typed("TEXT", "Sand and shells.\nSand again.\n")},
		{Headline: "two", Path: "/two", Types: append(typed("TEXT", "Shells, crabs and a lighthouse"), typed("GIF", "GIF87a crabs")...)},
		{Headline: "three", Path: "/p", Date: "940131", Types: typed("HTML", "<b>crabs</b> sand")},
		{Headline: "four", Path: "/p", Start: 100, Types: typed("PS", "sand")},
		{Path: "/nothing", Types: []Typed{{Wtype: "TEXT"}}},
	}},
	{Name: "open"},
}

// newTestServer returns a server without a listener.
func newTestServer(t testing.TB, o Options, databases ...Database) *Server {
	t.Helper()
	o.Host, o.Dir = "h:1", "/w"
	if o.Buffer == 0 {
		o.Buffer = 100_000
	}
	loaded, err := load(databases, &o)
	if err != nil {
		t.Fatal(err)
	}
	return &Server{o: o, databases: loaded}
}

// respond returns the response of a session to a packet. If the session closes the connection,
// respond returns nil.
func respond(x *session, packet []byte) []byte {
	copy(x.header[:], packet)
	reply, _ := x.buildReply(packet[headerSize:])
	return reply
}

func TestWords(t *testing.T) {
	s := newTestServer(t, Options{}, shore...)
	for words, want := range map[string]string{
		"sand":                      "2: 1000=one 500=three",
		"SAND!":                     "2: 1000=one 500=three",
		"four":                      "1: 1000=four",
		"sand shells":               "3: 1000=one 334=two 334=three",
		"sand or shells":            "3: 1000=one 334=two 334=three",
		"sand and shells":           "1: 1000=one",
		"sand not shells":           "1: 1000=three",
		"shells not sand or gif":    "1: 1000=two",
		"crabs and (sand or light)": "1: 1000=three",
		"light*":                    "1: 1000=two",
		"s* and (c*)":               "2: 1000=two 1000=three",
		"field=crabs":               "2: 1000=two 1000=three",
		"nowhere":                   "1: 0=Search produced no result. Here's the Catalog for database: shore",
		"(":                         "2: 0=Search produced no result. Here's the Catalog for database: shore S1",
		")":                         "2: 0=Search produced no result. Here's the Catalog for database: shore S1",
		"sand)":                     "2: 0=Search produced no result. Here's the Catalog for database: shore S1",
		"(sand":                     "2: 0=Search produced no result. Here's the Catalog for database: shore S1",
		"and sand":                  "2: 0=Search produced no result. Here's the Catalog for database: shore S1",
		"sand or":                   "2: 0=Search produced no result. Here's the Catalog for database: shore S1",
		"sand not":                  "2: 0=Search produced no result. Here's the Catalog for database: shore S1",
		"!!!":                       "2: 0=Search produced no result. Here's the Catalog for database: shore S1",
		strings.Repeat("(", 60) + "a" + strings.Repeat(")", 60): "2: 0=Search produced no result. Here's the Catalog for database: shore S1",
		strings.Repeat("(", 40) + "a" + strings.Repeat(")", 40): "1: 1000=two",
		"":       "2: 1000=Information on database: shore 1000=Catalog for database: shore",
		"?":      "3: 1000=Information on database: shore 1000=Catalog for database: shore S1",
		"*help*": "3: 1000=Information on database: shore 1000=Catalog for database: shore S1",
	} {
		got := describeRecords(t, respond(s.newSession(nil), wordsPacket("shore", words, 40)))
		if got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
}

func TestDatabases(t *testing.T) {
	s := newTestServer(t, Options{}, shore...)
	for name, want := range map[string]string{
		"shore":          "2: 1000=two 1000=three",
		"/any/shore":     "2: 1000=two 1000=three",
		"shore\x1fopen":  "2: 1000=two 1000=three",
		"open":           "1: 0=Search produced no result. Here's the Catalog for database: open",
		"none":           "1: S1",
		"shore@h:1":      "1: S1",
		"none\x1fshore":  "1: S1",
		"../../etc/none": "1: S1",
	} {
		if got := describeRecords(t, respond(s.newSession(nil), wordsPacket(name, "crabs", 40))); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"", "INFO", "/w/INFO"} {
		if got, want := describeRecords(t, respond(s.newSession(nil), wordsPacket(name, "shore", 40))), "1: 1000=shore.src"; got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	// A database named INFO in the options must replace the generated INFO database.
	own := Database{Name: "INFO", Documents: []Document{{Headline: "mine", Types: typed("WSRC", "crabs")}}}
	s = newTestServer(t, Options{}, append(shore, own)...)
	if got, want := describeRecords(t, respond(s.newSession(nil), wordsPacket("", "crabs", 40))), "1: 1000=mine"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestExamples(t *testing.T) {
	s := newTestServer(t, Options{}, shore...)
	two := []byte(localID("shore", "0 30 /two"))
	chunk := func(unit, start, end byte) []byte {
		return []byte{100, 1, unit, 108, 1, start, 109, 1, end}
	}
	for _, c := range []struct {
		packet []byte
		want   string
	}{
		{examplePacket("shore", "sand", two), "3: 1000=one 1000=two 667=three"},
		{examplePacket("shore", "sand", two, chunk(unitBytes, 0, 6)...), "3: 1000=one 334=two 334=three"},
		{examplePacket("shore", "sand", two, chunk(unitBytes, 0, 255)...), "3: 1000=one 1000=two 667=three"},
		{examplePacket("shore", "sand", two, chunk(unitLines, 1, 2)...), "2: 1000=one 500=three"},
		{examplePacket("shore", "sand", []byte("\x03\x01x")), "2: 1000=one 500=three"},
		{examplePacket("shore", "", two), "2: 0=Search produced no result. Here's the Catalog for database: shore S1"},
		{examplePacket("shore", "sand", two, chunk(9, 1, 2)...), "empty"},
		{wordsPacket("shore", "sand", 40, 100, 1, 1), "empty"},
	} {
		if got := describeRecords(t, respond(s.newSession(nil), c.packet)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestRetrieval(t *testing.T) {
	s := newTestServer(t, Options{Buffer: 300}, shore...)
	const one = "0 29 /w/shore/1"
	for _, c := range []struct {
		id, wtype  string
		start, end int
		want       string
	}{
		{one, "TEXT", 0, 4, `1: "Sand"`},
		{one, "TEXT", 17, 29, `1: "Sand again.\n"`},
		{one, "TEXT", 17, 30, `2: "Sand again.\n" SF`},
		{one, "TEXT", 29, 29, `1: ""`},
		{one, "TEXT", 29, 30, `2: "" SF`},
		{one, "TEXT", 30, 30, `1: SF`},
		{one, "TEXT", -1, 30, `1: SF`},
		{one, "TEXT", 4, 3, "closed"},
		{one, "", 0, 4, `1: "Sand"`},
		{"0 30 /two", "GIF", 0, 5, `1: "GIF87"`},
		{"0 30 /two", "PS", 0, 5, `1: "Shell"`},
		{"100 104 /p", "PS", 0, 10, `2: "sand" SF`},
		{"0 0 /nothing", "TEXT", 0, 10, `2: "" SF`},
		{"0 0 /w/shore.cat", "TEXT", 0, 21, `1: "Catalog for database:"`},
		{"0 0 /w/shore.src", "WSRC", 2, 10, `1: "(:source"`},
		{"0 0 /w/shore.cat", "TEXT", 0, 280, "empty"},
		{"no such", "TEXT", 0, 4, `1: SF`},
		{one, "WAIS_NEXT", 0, 4, `2: "0 30 /two, \"two\", TEXT, 30\x00"`},
		{"0 30 /two", "WAIS_PREV", 0, 4, `2: "0 29 /w/shore/1, \"one\", TEXT, 29\x00"`},
		{one, "WAIS_PREV", 0, 4, `1: SF`},
		{"0 0 /nothing", "WAIS_NEXT", 0, 4, `1: SF`},
		{"0 0 /w/shore.src", "WAIS_NEXT", 0, 4, `1: SF`},
	} {
		if got := describeRecords(t, respond(s.newSession(nil), rangePacket("shore", c.id, c.wtype, c.start, c.end))); got != c.want {
			t.Errorf("%v: %s", c, got)
		}
	}
}

func TestTerms(t *testing.T) {
	s := newTestServer(t, Options{}, shore...)
	id := localID("shore", "0 29 /w/shore/1")
	for want, terms := range map[string][]string{
		`1: "Sand again.\n"`:                 {"un", id, "wt", "TEXT", "wl ro", "1", "wl rl", "9"},
		`1: "Sand and shells.\n"`:            {"wl rl", "1", "wl ro", "0", "wt", "TEXT", "un", id},
		`1: ""`:                              {"un", id, "wt", "TEXT", "wl ro", "5", "wl rl", "9"},
		"0:":                                 {"un", id, "wt", "TEXT"},
		"0: ":                                {"un", id, "wt", "TEXT", "wp ro", "1", "wp rl", "2"},
		"1: SF":                              {"wt", "TEXT", "wb ro", "0", "wb rl", "2"},
		"closed":                             {"un", id, "wb ro", "0", "wb rl", "2"},
		"closed ":                            {"un", "\x03\x010", "wt", "TEXT"},
		"empty":                              {"un", id, "wt", "TEXT", "ut", "title"},
		"empty ":                             {"un", id, "wt", "TEXT", "wb ro", "x", "wb rl", "2"},
		"empty  ":                            {"un", id, "wt", "TEXT", "wb", "1", "wb rl", "2"},
		"empty   ":                           {"un", id, "wt", "TEXT", "wb ro", "", "wb rl", "2"},
		"empty    ":                          {"un", id, "wt", "TEXT", "wb ro", "12345678901", "wb rl", "2"},
		`1: "Sand and shells.\nSand again."`: {"un", string(s.databases["shore"].documents[0].id), "wt", "TEXT", "wb ro", "0", "wb rl", "28"},
	} {
		if got := describeRecords(t, respond(s.newSession(nil), termsPacket("shore", terms...))); got != strings.TrimRight(want, " ") {
			t.Errorf("%q: %s, want %s", terms, got, want)
		}
	}
	if got := describeRecords(t, respond(s.newSession(nil), termsPacket("none", "un", id, "wt", "TEXT"))); got != "closed" {
		t.Errorf("a document of no database: %s", got)
	}
}

// The server must respond to an unreadable request with an empty packet.
func TestUnreadable(t *testing.T) {
	x := newTestServer(t, Options{}, shore...).newSession(nil)
	words := wordsPacket("shore", "sand", 40)
	apdu := words[headerSize:]
	init := []byte{apduInit, 3, 1, 0x80, 4, 1, 0x80, 5, 1, 200, 6, 1, 200}
	header := searchHeader("shore", "3")
	list := []byte{106, 1, 'a', 114, 1, 1}
	info := appendElement(nil, 99, list)
	for name, packet := range map[string][]byte{
		"nothing":               packetOf(nil, nil),
		"an unknown APDU":       packetOf([]byte{24, 0, 0, 1, 0, 0, 1}, nil),
		"no fixed fields":       packetOf([]byte{apduSearch, 0}, nil),
		"an indicator too far":  append(bytes.Clone(words[:headerSize]), 1, 0, apduSearch),
		"one octet less":        packetOf(apdu[2:], nil)[:headerSize+len(apdu)-1],
		"two APDUs":             append(bytes.Clone(words), apdu...),
		"a query of type 2":     packetOf(searchHeader("shore", "2"), info),
		"words of type 1":       packetOf(searchHeader("shore", "1"), info),
		"an unknown element":    packetOf(append(bytes.Clone(header), 77, 0), info),
		"an unknown word":       packetOf(header, appendElement(nil, 99, append(bytes.Clone(list), 77, 0))),
		"an unknown term":       packetOf(searchHeader("shore", "1"), appendElement(nil, 21, []byte{47, 0})),
		"no words":              packetOf(header, appendElement(nil, 99, list[3:])),
		"no number wanted":      packetOf(header, appendElement(nil, 99, list[:3])),
		"five octets wanted":    packetOf(header, appendElement(nil, 99, append(bytes.Clone(list[:3]), 114, 5, 0, 0, 0, 0, 1))),
		"a tag without end":     packetOf(header, []byte{0x80, 0x80}),
		"a tag of five octets":  packetOf(header, append([]byte{0x80, 0x80, 0x80, 0x80}, info...)),
		"a length too far":      packetOf(header, append(info[:1:1], 127, 1)),
		"no information":        packetOf(header, nil),
		"Init, out of order":    packetOf(slices.Concat(init[:1], init[4:7], init[1:4], init[7:]), nil),
		"Init without a size":   packetOf(init[:10], nil),
		"Init, unknown element": packetOf(append(bytes.Clone(init), 77, 0), nil),
		"Init and more":         packetOf(init, info),
		"Init, a size too long": packetOf(append(bytes.Clone(init[:10]), 6, 5, 0, 0, 0, 0, 1), nil),
		"an acknowledgement":    append([]byte("0000000000a2wais        0"), apdu...),
	} {
		if got := describeRecords(t, respond(x, packet)); got != "empty" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := describeRecords(t, respond(x, words)); got != "2: 1000=one 500=three" {
		t.Errorf("%s", got)
	}
	packet := bytes.Clone(words)
	packet[11] = '3'
	if got := describeRecords(t, respond(x, packet)); got != "closed" {
		t.Errorf("version 3: %s", got)
	}
}

func TestAgreedSize(t *testing.T) {
	x := newTestServer(t, Options{Buffer: 250}, shore...).newSession(nil)
	init := func(size uint32) []byte {
		b := []byte{apduInit, 3, 1, 0x80, 4, 1, 0x80, 5, 1, 200}
		return packetOf(appendNumber(b, 6, size), nil)
	}
	sand := func() string { return describeRecords(t, respond(x, wordsPacket("shore", "crabs", 40))) }
	if got := sand(); got != "2: 1000=two 1000=three" {
		t.Error(got)
	}
	for _, c := range []struct {
		size              uint32
		init, found, text string
	}{
		{180, "APDU 21", "1: 1000=two", `1: "Sand"`},
		{1_000_000, "APDU 21", "2: 1000=two 1000=three", `1: "Sand"`},
		{80, "APDU 21", "0:", `1: "Sand"`},
		{20, "empty", "0:", "empty"},
		{0, "empty", "empty", "empty"},
		{1 << 31, "empty", "empty", "empty"}, // a negative number as a signed integer
	} {
		if got := describeRecords(t, respond(x, init(c.size))); got != c.init {
			t.Errorf("init %d: %s, want %s", c.size, got, c.init)
		}
		if got := sand(); got != c.found {
			t.Errorf("%d: %s, want %s", c.size, got, c.found)
		}
		if got := describeRecords(t, respond(x, rangePacket("shore", "0 29 /w/shore/1", "TEXT", 0, 4))); got != c.text {
			t.Errorf("%d: %s, want %s", c.size, got, c.text)
		}
	}
}

// The source description must have the same layout as the captured description.
func TestSourceText(t *testing.T) {
	want, err := os.ReadFile("../testdata/wire/session-info.doc.bin")
	if err != nil {
		t.Fatal(err)
	}
	_, description, _ := strings.Cut(string(want), `:description "`)
	description = strings.TrimSuffix(description, "\"\n)\n")
	d := Database{Name: "coast", Maintainer: "root@localhost", Keywords: []string{"the"}, Description: description}
	if got := d.sourceText(&Options{Host: "localhost:210"}); got != string(want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := shore[0].sourceText(&Options{Host: "odd"}); !strings.Contains(got, `:description "A \"shore\".`+"\n\"\n") || !strings.Contains(got, ":ip-name \"odd\"\n   :tcp-port 210\n") {
		t.Error(got)
	}
}

func TestWrongDatabases(t *testing.T) {
	one := Document{Path: "/p", Types: typed("TEXT", "x")}
	for want, list := range map[string][]Database{
		`waistest: invalid name "" of a database`:           {{}},
		`waistest: invalid name "a/b" of a database`:        {{Name: "a/b"}},
		`waistest: there are two databases "a"`:             {{Name: "a"}, {Name: "a"}},
		`waistest: document "x" of "a" has no type`:         {{Name: "a", Documents: []Document{{Headline: "x"}}}},
		`waistest: there are two documents "0 1 /p" in "a"`: {{Name: "a", Documents: []Document{one, one}}},
	} {
		if s, err := Start(list, nil); err == nil || err.Error() != want {
			t.Errorf("%v, %v, want %s", s, err, want)
		}
	}
}

func TestRequests(t *testing.T) {
	s, err := Start(shore, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	id := []byte(localID("shore", "0 30 /two"))
	packets := [][]byte{
		packetOf([]byte{apduInit, 3, 1, 0x80, 4, 1, 0x80, 5, 1, 200, 6, 1, 200}, nil),
		wordsPacket("shore", "crabs \"x\"", 40),
		examplePacket("shore", "crabs", id),
		examplePacket("shore", "crabs", id, 100, 1, unitLines, 108, 1, 2, 109, 1, 3),
		rangePacket("shore", "0 30 /two", "GIF", 0, 10),
		termsPacket("shore", "un", "odd", "wt", "TEXT"),
		packetOf([]byte{99}, nil),
	}
	for _, packet := range packets {
		c.Write(packet)
		head := make([]byte, headerSize)
		if _, err := io.ReadFull(c, head); err != nil {
			t.Fatal(err)
		}
		n, _ := readDecimal(head[:10])
		if _, err := io.CopyN(io.Discard, c, n); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"init 200",
		`search shore "crabs \"x\"" 40`,
		`search shore "crabs" 40 like "0 30 /two" TEXT`,
		`search shore "crabs" 40 like "0 30 /two" TEXT 2-3 lines`,
		`retrieve shore "0 30 /two" GIF 0-10 bytes`,
		`retrieve shore "odd" TEXT`,
		"unreadable",
	}
	if got := s.Lines(); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for i, r := range s.Requests() {
		if r.Packet != string(packets[i]) {
			t.Errorf("request %d is %q\nand was %q", i, r.Packet, packets[i])
		}
	}
}

func TestWpath(t *testing.T) {
	s := newTestServer(t, Options{}, shore...)
	const want = "1%3Dh%3A1%3B2%3D%2Fw%2Fshore%3B3%3D100%20104%20%2Fp%3B4%3Dh%3A1%3B5%3D%2Fw%2Fshore%3B6%3D100%20104%20%2Fp%3B7%3D%00%3B"
	if got := s.Wpath("shore", 3); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The size of the request log must be limited.
func TestRequestsEnd(t *testing.T) {
	s := newTestServer(t, Options{}, shore...)
	apdu := make([]byte, 1<<20)
	for range 10 {
		s.received(make([]byte, headerSize), apdu)
	}
	if got := len(s.Requests()); got != 3 {
		t.Errorf("%d requests of 1 MiB are kept", got)
	}
}

// If the length in a header is invalid or too large, the server must close the connection at
// once.
func TestHeader(t *testing.T) {
	s, err := Start(shore, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, header := range []string{"0001048577z2wais        0", "00000x0010z2wais        0", "-000000001z2wais        0"} {
		c, err := net.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, header)
		if got, err := io.ReadAll(c); len(got) > 0 || err != nil {
			t.Errorf("%q: %q, %v", header, got, err)
		}
		c.Close()
	}
}

// The server must copy a range only once, without allocating memory.
func TestRetrievalAllocatesNothing(t *testing.T) {
	big := Document{Path: "/big", Types: []Typed{{"TEXT", make([]byte, 1<<20)}}}
	s := newTestServer(t, Options{}, Database{Name: "d", Documents: []Document{big}})
	x := s.newSession(nil)
	packet := rangePacket("d", "0 1048576 /big", "TEXT", 500_000, 590_000)
	if got := len(respond(x, packet)); got < 90_000 {
		t.Fatalf("%d octets", got)
	}
	if n := testing.AllocsPerRun(100, func() { respond(x, packet) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkRetrieve fetches 50 MB in ranges of 10,000 bytes over the loopback interface.
func BenchmarkRetrieve(b *testing.B) {
	const size, step = 50_000_000, 10_000
	s, err := Start([]Database{{Name: "d", Documents: []Document{{Path: "/big", Types: []Typed{{"TEXT", make([]byte, size)}}}}}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	var packets [][]byte
	for at := 0; at < size; at += step {
		packets = append(packets, rangePacket("d", fmt.Sprintf("0 %d /big", size), "TEXT", at, at+step))
	}
	reply := make([]byte, 2*step)
	b.SetBytes(size)
	for b.Loop() {
		for _, packet := range packets {
			if _, err := c.Write(packet); err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(c, reply[:headerSize]); err != nil {
				b.Fatal(err)
			}
			n, _ := readDecimal(reply[:10])
			if _, err := io.ReadFull(c, reply[:n]); err != nil {
				b.Fatal(err)
			}
		}
	}
}
