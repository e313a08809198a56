package lens

import "context"

// javaProbe succeeds if Java can compile.
var javaProbe = []string{"--describe-module", "jdk.compiler"}

// readJava parses with java.net.URI or java.net.URL, if which is "uri" or "url". Java
// compiles the program each time it runs.
func readJava(which string) func(context.Context, *program, []string) (string, []ParseResult, error) {
	return func(ctx context.Context, p *program, urls []string) (string, []ParseResult, error) {
		source, err := parsers.ReadFile("parsers/Read.java")
		if err != nil {
			return "", nil, err
		}
		args := []string{"-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Dfile.encoding=UTF-8", "Read.java", which}
		out, err := p.run(ctx, args, encodeQuestions(urls), file{"Read.java", string(source)})
		if err != nil {
			return "", nil, err
		}
		return decodeResults(out, urls)
	}
}
