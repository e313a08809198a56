package lens

import "context"

// javaProbe holds arguments with which java succeeds if it can compile programs.
var javaProbe = []string{"--describe-module", "jdk.compiler"}

// readJava parses with the Java class java.net.URI if class is "uri", and with java.net.URL if
// class is "url". Each run compiles the Java program.
func readJava(class string) func(context.Context, *program, []string) (string, []ParseResult, error) {
	return func(ctx context.Context, p *program, urls []string) (string, []ParseResult, error) {
		source, err := parsers.ReadFile("parsers/Read.java")
		if err != nil {
			return "", nil, err
		}
		args := []string{"-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Dfile.encoding=UTF-8", "Read.java", class}
		out, err := p.run(ctx, args, encodeQuestions(urls), workFile{"Read.java", string(source)})
		if err != nil {
			return "", nil, err
		}
		return decodeResults(out, urls)
	}
}
