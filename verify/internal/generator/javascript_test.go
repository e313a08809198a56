package generator

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestReadScript(t *testing.T) {
	deep := map[string]any{"a": "b"}
	for source, want := range map[string]map[string]any{
		"export default {a: 'b'}":                                                                          deep,
		"module.exports = {a: `b`};":                                                                       deep,
		"export default defineConfig({ a: \"b\", })":                                                       deep,
		"export default withMermaid(defineConfig<Theme>({a: 'b'}))":                                        deep,
		"const config: Config = {a: 'b'};\nexport default config;":                                         deep,
		"/** @type {import('x').Config} */\nconst config = {a: 'b'}\nmodule.exports = config":              deep,
		"module.exports = async function make() { const x = 1; return {a: 'b'}; }":                         deep,
		"export default async () => ({a: 'b'})":                                                            deep,
		"export default () => { return {a: 'b'} }":                                                         deep,
		"const a = 'b'\nexport default {a}":                                                                deep,
		"export default {a: 'b'} satisfies UserConfig":                                                     deep,
		"export default {'a': 'b'} as const // {":                                                          deep,
		"export default { /* a: 'c' */ a: 'b' }":                                                           deep,
		"export default {a: 1 + 2, b: x ? 'y' : 'z', c: [1, ...more], d: `x${y}`, e: 'f'}":                 {"a": unread{}, "b": unread{}, "c": []any{"1", unread{}}, "d": unread{}, "e": "f"},
		"export default {...base, [key]: 1, get x() { return {} }, f(a) { b }, async g() {}, h: 'i'}":      {"": unread{}, "get": unread{}, "f": unread{}, "async": unread{}, "h": "i"},
		"export default {p: [['classic', /** @type {X} */ ({docs: false})], require.resolve('x')]}":        {"p": []any{[]any{"classic", map[string]any{"docs": "false"}}, call{"require.resolve", []any{"x"}}}},
		"export default {edit: ({a, b}) => { return `x/${a}` }, r: [/^\\/a[/]b/i, 'c'], s: 4 / 2, t: 'u'}": {"edit": unread{}, "r": []any{regexp.MustCompile("^/a[/]b"), "c"}, "s": unread{}, "t": "u"},
		"const a = {b: '1'}; export default {c: a, d: a}":                                                  {"c": map[string]any{"b": "1"}, "d": map[string]any{"b": "1"}},
		"const a = {b: a}; export default {a}":                                                             {"a": map[string]any{"b": unread{}}},
		"export default make()":                                                                            nil, "": nil, "const a = 1": nil, "export default {": {}, "export default": nil, "'": nil, "export default {a:": {"a": unread{}},
	} {
		if got := readScript(source); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, want %#v", source, got, want)
		}
	}
}

// Reading takes time proportional to the length of the text, for every program.
func TestReadScriptIsLinear(t *testing.T) {
	constants := ""
	for i := range 5_000 {
		constants += fmt.Sprintf("const a%d = {b: a%d, c: a%d}\n", i, i+1, i+1)
	}
	for _, source := range []string{
		strings.Repeat("{", 1<<17), strings.Repeat("[", 1<<17), strings.Repeat("(", 1<<17), strings.Repeat("a.", 1<<17), strings.Repeat("export default ", 15_000), strings.Repeat("module.exports = {a: ", 12_500),
		strings.Repeat("return {", 1<<15), strings.Repeat("/*", 1<<17), strings.Repeat("`${", 1<<16), strings.Repeat("/", 1<<18), strings.Repeat("/\\", 1<<17), strings.Repeat("const a", 1<<15), constants + "export default a0", strings.Repeat("'", 1<<18), strings.Repeat("f(", 1<<17),
	} {
		for _, begin := range []string{"export default ", "{"} {
			text := begin + source
			start := time.Now()
			readScript(text[:min(len(text), maxScript)])
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%.30q: %v", text, took)
			}
		}
	}
}

// A comment before a program does not change the result.
func FuzzReadScript(f *testing.F) {
	f.Add("export default defineConfig({a: [1, 'b', /c/], ...d, e() {}})")
	f.Add("const x = {y: x}; module.exports = async () => ({x, z: `a${b}`} as const)")
	f.Add("module.exports = async(0.0({``,")
	f.Fuzz(func(t *testing.T, text string) {
		got, want := readScript("/* export default {a: 1} */\n"+text), readScript(text)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}
