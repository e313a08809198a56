package generator

import (
	"regexp"
	"strings"
)

// A configuration in JavaScript or TypeScript is a program. This package reads only the literals
// of the program, and does not evaluate expressions. A value in the resulting tree is a string, a
// []any, a map[string]any, a *regexp.Regexp, a call, or unread. Numbers and names are strings.

// unread is a value that can be determined only by running the program. If an object literal
// contains keys that can't be read, such as "...base" or "[key]", the map contains an unread value
// for the key "".
type unread struct{}

// call is a function call with its arguments, such as require.resolve('x').
type call struct {
	name string
	args []any
}

const (
	maxScript  = 1 << 20 // maximum bytes in a configuration
	maxLiteral = 64      // maximum depth of nested literals and names
	maxExports = 16      // maximum number of exports that are examined
)

// script is a tokenized JavaScript configuration.
type script struct {
	tokens []jsToken
	at     int
	names  map[string]int // index of the first token in each constant's value
	values map[string]any // values of the constants that were read
}

type jsToken struct {
	kind byte // a constant such as jsName, or punctuation such as '{'
	text string
}

const (
	jsName = 'a'
	jsText = '"'
	jsExpr = '/' // a regular expression
	jsOpen = '`' // a template literal with "${"
)

// readScript returns the object that a configuration exports, or nil if it finds no object.
func readScript(text string) map[string]any {
	if len(text) > maxScript {
		return nil
	}
	s := &script{tokens: scanScript(text), names: map[string]int{}, values: map[string]any{}}
	exported := s.indexConstants()
	for _, at := range exported[:min(len(exported), maxExports)] {
		s.at = at
		if m := configIn(s.readValue(0)); m != nil {
			return m
		}
	}
	return nil
}

// configIn returns the configuration object in a value. The object is the value itself, or the
// argument or result of a function such as defineConfig.
func configIn(value any) map[string]any {
	switch value := value.(type) {
	case map[string]any:
		return value
	case call:
		for _, arg := range value.args {
			if m := configIn(arg); m != nil {
				return m
			}
		}
	}
	return nil
}

// indexConstants finds the constants of the program, and the values that the program exports or
// returns.
func (s *script) indexConstants() (exported []int) {
	var returned []int
	depth := 0
	for i, t := range s.tokens {
		next := func(n int) string { return s.peek(i + n) }
		switch {
		case t.kind == '{':
			depth++
		case t.kind == '}':
			depth--
		case t.kind != jsName:
		case t.text == "export" && next(1) == "default":
			exported = append(exported, i+2)
		case t.text == "module" && next(1) == "." && next(2) == "exports" && next(3) == "=":
			exported = append(exported, i+4)
		case t.text == "return" && depth > 0:
			returned = append(returned, i+1)
		case depth == 0 && (t.text == "const" || t.text == "let" || t.text == "var"):
			if at := s.constantStart(i + 2); at > 0 {
				s.names[next(1)] = at
			}
		}
	}
	return append(exported, returned...)
}

// constantStart returns the index of the first token in a constant's value. The parameter i is the
// index of the token after the constant's name, where a type may precede the value.
func (s *script) constantStart(i int) int {
	for end := min(i+40, len(s.tokens)); i < end; i++ {
		switch s.tokens[i].kind {
		case '=':
			return i + 1
		case ';', '{', '}':
			return 0
		}
	}
	return 0
}

func (s *script) peek(i int) string {
	if i >= len(s.tokens) {
		return ""
	}
	return s.tokens[i].text
}

func (s *script) kind() byte {
	if s.at >= len(s.tokens) {
		return 0
	}
	return s.tokens[s.at].kind
}

// readValue reads an expression up to the punctuation that ends it. For an expression with
// operators, the result is unread.
func (s *script) readValue(depth int) any {
	var value any = unread{}
	if depth <= maxLiteral {
		value = s.readLiteral(depth)
	}
	if s.kind() == jsName && (s.peek(s.at) == "as" || s.peek(s.at) == "satisfies") {
		s.skipExpression()
		return value
	}
	switch s.kind() {
	case ',', ')', ']', '}', ';', 0:
		return value
	case jsName: // start of the next statement, without a ";"
		return value
	}
	s.skipExpression()
	return unread{}
}

// readLiteral reads a literal, a name, or a call.
func (s *script) readLiteral(depth int) any {
	t := jsToken{}
	if s.at < len(s.tokens) {
		t = s.tokens[s.at]
	}
	switch t.kind {
	case jsText:
		s.at++
		return t.text
	case jsExpr:
		s.at++
		if e, err := regexp.Compile(t.text); err == nil {
			return e
		}
	case jsOpen:
		s.at++
	case '{':
		return s.readObject(depth)
	case '[', '(':
		s.at++
		list := s.readList(depth)
		if t.kind == '[' {
			return list
		}
		return s.groupedValue(list, depth)
	case jsName:
		return s.readNamed(depth)
	}
	return unread{}
}

// groupedValue returns the value of an expression that begins with parentheses. The parameter list
// contains the elements in the parentheses. The value is the only element, or the result of an
// arrow function.
func (s *script) groupedValue(list []any, depth int) any {
	if s.kind() == '=' && s.peek(s.at+1) == ">" {
		s.at += 2
		return s.readBody(depth)
	}
	if len(list) == 1 {
		return list[0]
	}
	return unread{}
}

// readBody reads the expression that an arrow function returns.
func (s *script) readBody(depth int) any {
	if s.kind() == '{' {
		s.skipExpression()
		return unread{}
	}
	return s.readValue(depth + 1)
}

// readNamed reads an expression that begins with a name, such as a constant, a keyword or a call.
func (s *script) readNamed(depth int) any {
	name := s.tokens[s.at].text
	s.at++
	if name == "async" || name == "await" {
		return s.readLiteral(depth)
	}
	for s.kind() == '.' {
		name += "." + s.peek(s.at+1)
		s.at = min(s.at+2, len(s.tokens))
		if len(name) > maxKey {
			return unread{}
		}
	}
	if s.kind() == '<' { // type arguments
		for s.at < len(s.tokens) && s.kind() != '>' && s.kind() != '(' && s.kind() != ';' {
			s.at++
		}
		if s.kind() == '>' {
			s.at++
		}
	}
	switch at, isConstant := s.names[name]; {
	case s.kind() == '(':
		s.at++
		return call{name, s.readList(depth)}
	case s.kind() == '=' && s.peek(s.at+1) == ">":
		s.at += 2
		return s.readBody(depth)
	case isConstant:
		return s.constantValue(name, at, depth)
	case name == "true", name == "false", name == "null", name == "undefined", name != "" && name[0] >= '0' && name[0] <= '9':
		return name
	}
	return unread{}
}

// constantValue reads the value of a constant, and caches the value. During the read, the constant
// has no value, so a cyclic definition does not cause an endless loop.
func (s *script) constantValue(name string, at, depth int) any {
	if value, ok := s.values[name]; ok {
		return value
	}
	s.values[name] = unread{}
	back := s.at
	s.at = at
	value := s.readValue(depth + 1)
	s.at = back
	s.values[name] = value
	return value
}

// readList reads the rest of a list, and returns its values.
func (s *script) readList(depth int) []any {
	list := []any{}
	for s.at < len(s.tokens) {
		switch s.kind() {
		case ')', ']', '}':
			s.at++
			return list
		case ',', ';':
			s.at++
			continue
		}
		before := s.at
		list = append(list, s.readValue(depth+1))
		if s.at == before {
			s.at++
		}
	}
	return list
}

// readObject reads an object literal.
func (s *script) readObject(depth int) map[string]any {
	m := map[string]any{}
	s.at++
	for s.at < len(s.tokens) {
		before := s.at
		switch s.kind() {
		case '}':
			s.at++
			return m
		case ',', ';', ')', ']':
			s.at++
			continue
		case jsName, jsText:
			s.readMember(m, depth)
		default:
			m[""] = unread{}
			s.skipExpression()
		}
		if s.at == before {
			s.at++
		}
	}
	return m
}

// readMember reads "key: value", "key" or a method.
func (s *script) readMember(m map[string]any, depth int) {
	key := s.peek(s.at)
	if s.at+1 >= len(s.tokens) {
		s.at++
		return
	}
	switch s.tokens[s.at+1].kind {
	case ':':
		s.at += 2
		m[key] = s.readValue(depth + 1)
	case ',', '}':
		m[key] = s.readNamed(depth)
	default:
		m[key] = unread{}
		s.skipMethod()
	}
}

// skipMethod skips a method definition, which need not be followed by punctuation.
func (s *script) skipMethod() {
	for s.at < len(s.tokens) && s.kind() != '(' && s.kind() != ',' && s.kind() != '}' {
		s.at++
	}
	for s.kind() == '(' || s.kind() == '{' {
		s.skipGroup()
	}
	if s.kind() != ',' {
		s.skipExpression()
	}
}

// skipGroup skips a group in brackets.
func (s *script) skipGroup() {
	for depth := 0; s.at < len(s.tokens); {
		switch s.kind() {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if s.at++; depth <= 0 {
			return
		}
	}
}

// skipExpression skips the tokens up to the punctuation that ends an expression.
func (s *script) skipExpression() {
	for s.at < len(s.tokens) {
		switch s.kind() {
		case ',', ')', ']', '}', ';':
			return
		case '(', '[', '{':
			s.skipGroup()
		default:
			s.at++
		}
	}
}

// scanScript splits a program into tokens, without spaces and comments.
func scanScript(text string) (tokens []jsToken) {
	for i := 0; i < len(text); {
		c := text[i]
		n := 1
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
			continue
		case strings.HasPrefix(text[i:], "//"):
			i += lengthTo(text[i:], "\n")
			continue
		case strings.HasPrefix(text[i:], "/*"):
			i += 2 + lengthTo(text[i+2:], "*/")
			continue
		case c == '"' || c == '\'' || c == '`':
			var t jsToken
			t, n = scanText(text[i:])
			tokens = append(tokens, t)
		case c == '/' && beginsExpr(tokens):
			n = exprLen(text[i:])
			tokens = append(tokens, jsToken{jsExpr, strings.ReplaceAll(text[i+1:i+max(n-1, 1)], `\/`, "/")})
			i += n
			n = wordLen(text[i:]) // flags of the regular expression
		case wordLen(text[i:]) > 0:
			n = wordLen(text[i:])
			tokens = append(tokens, jsToken{jsName, text[i : i+n]})
		default:
			tokens = append(tokens, jsToken{c, text[i : i+1]})
		}
		i += n
	}
	return tokens
}

// lengthTo returns the length of the text up to and including substr.
func lengthTo(text, substr string) int {
	if i := strings.Index(text, substr); i >= 0 {
		return i + len(substr)
	}
	return len(text)
}

func wordLen(text string) int {
	n := 0
	for n < len(text) && (text[n] == '_' || text[n] == '$' || text[n] >= 0x80 || text[n] >= '0' && text[n] <= '9' || (text[n]|0x20) >= 'a' && (text[n]|0x20) <= 'z') {
		n++
	}
	return n
}

// scanText reads a string literal. If the literal contains "${", only the running program can
// determine its value.
func scanText(text string) (t jsToken, n int) {
	var b strings.Builder
	t.kind = jsText
	for n = 1; n < len(text) && text[n] != text[0]; n++ {
		switch {
		case text[n] == '\\' && n+1 < len(text):
			n++
		case text[n] == '\n' && text[0] != '`':
			return jsToken{jsOpen, ""}, n
		case text[0] == '`' && strings.HasPrefix(text[n:], "${"):
			t.kind = jsOpen
		}
		b.WriteByte(text[n])
	}
	t.text = b.String()
	return t, min(n+1, len(text))
}

// beginsExpr reports whether a "/" that follows the tokens begins a regular expression.
func beginsExpr(tokens []jsToken) bool {
	if len(tokens) == 0 {
		return true
	}
	switch last := tokens[len(tokens)-1]; last.kind {
	case ')', ']', '}', jsText, jsExpr, jsOpen:
		return false
	case jsName:
		return last.text == "return"
	}
	return true
}

// exprLen returns the length of the regular expression at the start of text. If the expression
// does not end on the same line, exprLen returns 1.
func exprLen(text string) int {
	set := false
	for n := 1; n < min(len(text), maxValue); n++ {
		switch c := text[n]; {
		case c == '\n':
			return 1
		case c == '\\':
			n++
		case c == '[':
			set = true
		case c == ']':
			set = false
		case c == '/' && !set:
			return n + 1
		}
	}
	return 1
}
