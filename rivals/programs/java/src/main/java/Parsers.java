// Parsers reads URLs with the library that its first argument names, in the protocol of
// lens/results.go. It ignores other arguments.
import java.io.*;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.*;
import okhttp3.HttpUrl;
import okhttp3.OkHttp;
import org.apache.hc.client5.http.utils.URIUtils;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.net.URIBuilder;
import org.apache.hc.core5.util.VersionInfo;
import org.springframework.core.SpringVersion;
import org.springframework.web.util.UriComponents;
import org.springframework.web.util.UriComponentsBuilder;
import org.springframework.web.util.UriComponentsBuilder.ParserType;

class Parsers {
    static final List<String> NAMES = List.of("okhttp", "httpclient-builder", "httpclient-host", "spring", "spring-whatwg");

    static String encode(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    static void part(StringBuilder out, String name, String text) {
        if (text != null) out.append(' ').append(name).append(':').append(encode(text));
    }

    static void filled(StringBuilder out, String name, String text) {
        part(out, name, text == null || text.isEmpty() ? null : text);
    }

    static void login(StringBuilder out, String userinfo) {
        if (userinfo == null) return;
        int colon = userinfo.indexOf(':');
        part(out, "user", colon < 0 ? userinfo : userinfo.substring(0, colon));
        part(out, "password", colon < 0 ? null : userinfo.substring(colon + 1));
    }

    static void port(StringBuilder out, int port) {
        part(out, "port", port < 0 ? null : "" + port);
    }

    static void okhttp(StringBuilder out, String text) {
        HttpUrl u = HttpUrl.get(text);
        part(out, "scheme", u.scheme());
        filled(out, "user", u.encodedUsername());
        filled(out, "password", u.encodedPassword());
        part(out, "host", u.host());
        port(out, u.port());
        part(out, "path", u.encodedPath());
        part(out, "query", u.encodedQuery());
        part(out, "fragment", u.encodedFragment());
    }

    // URIBuilder decodes the user info and the path.
    static void builder(StringBuilder out, String text) throws Exception {
        URIBuilder b = new URIBuilder(text);
        URI u = b.build();
        part(out, "scheme", b.getScheme());
        login(out, u.getRawUserInfo() != null ? u.getRawUserInfo() : b.getUserInfo());
        part(out, "host", b.getHost());
        port(out, b.getPort());
        part(out, "path", u.isOpaque() ? u.getRawSchemeSpecificPart() : u.getRawPath());
        part(out, "query", u.getRawQuery());
        part(out, "fragment", u.getRawFragment());
    }

    static void host(StringBuilder out, String text) throws Exception {
        URI u = new URI(text);
        HttpHost host = URIUtils.extractHost(u);
        part(out, "scheme", u.getScheme());
        if (host != null) {
            part(out, "host", host.getHostName());
            port(out, host.getPort());
        }
        out.append(" unseen:user unseen:password unseen:path unseen:query unseen:fragment");
    }

    static void spring(StringBuilder out, String text, ParserType type) {
        UriComponents u = UriComponentsBuilder.fromUriString(text, type).build();
        part(out, "scheme", u.getScheme());
        login(out, u.getUserInfo());
        part(out, "host", u.getHost());
        port(out, u.getPort());
        part(out, "path", u.getPath() == null ? u.getSchemeSpecificPart() : u.getPath());
        part(out, "query", u.getQuery());
        part(out, "fragment", u.getFragment());
    }

    static void read(StringBuilder out, String name, String text) throws Exception {
        switch (name) {
            case "okhttp" -> okhttp(out, text);
            case "httpclient-builder" -> builder(out, text);
            case "httpclient-host" -> host(out, text);
            case "spring" -> spring(out, text, ParserType.RFC);
            case "spring-whatwg" -> spring(out, text, ParserType.WHAT_WG);
        }
    }

    static String version(String name) {
        switch (name) {
            case "okhttp": return "OkHttp " + OkHttp.VERSION;
            case "spring", "spring-whatwg": return "spring-web " + SpringVersion.getVersion();
        }
        VersionInfo v = VersionInfo.loadVersionInfo("org.apache.hc.client5", Parsers.class.getClassLoader());
        return "HttpClient " + (v == null ? "5" : v.getRelease());
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0 || !NAMES.contains(args[0])) {
            System.err.println("usage: Parsers NAME; NAME is one of " + NAMES);
            System.exit(2);
        }
        StringBuilder all = new StringBuilder("version " + encode(version(args[0])) + "\n");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        int number = 0;
        for (String line; (line = in.readLine()) != null; number++) {
            byte[] octets = Base64.getDecoder().decode(line);
            all.append(number).append(' ').append(octets.length);
            StringBuilder out = new StringBuilder(" ok");
            try {
                read(out, args[0], new String(octets, StandardCharsets.UTF_8));
                all.append(out);
            } catch (Exception e) {
                all.append(" no ").append(encode(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()));
            }
            all.append('\n');
        }
        System.out.print(all);
    }
}
