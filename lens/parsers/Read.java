// java.net.URI or java.net.URL: the argument is "uri" or "url".
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

class Read {
    static String encode(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    static void part(StringBuilder out, String name, String text) {
        if (text != null) out.append(' ').append(name).append(':').append(encode(text));
    }

    static void login(StringBuilder out, String userinfo) {
        if (userinfo == null) return;
        int colon = userinfo.indexOf(':');
        part(out, "user", colon < 0 ? userinfo : userinfo.substring(0, colon));
        part(out, "password", colon < 0 ? null : userinfo.substring(colon + 1));
    }

    static void uri(StringBuilder out, String text) throws Exception {
        URI u = new URI(text);
        part(out, "scheme", u.getScheme());
        login(out, u.getRawUserInfo());
        part(out, "host", u.getHost());
        part(out, "port", u.getPort() < 0 ? null : "" + u.getPort());
        part(out, "path", u.isOpaque() ? u.getRawSchemeSpecificPart() : u.getRawPath());
        part(out, "query", u.getRawQuery());
        part(out, "fragment", u.getRawFragment());
    }

    static void url(StringBuilder out, String text) throws Exception {
        URL u = new URL(text);
        String entry = "";
        if (u.getProtocol().equals("jar")) { // it is fetched from the URL before "!/" (java.net.JarURLConnection)
            String file = u.getFile();
            int end = file.indexOf("!/");
            entry = file.substring(end);
            u = new URL(file.substring(0, end));
        }
        part(out, "scheme", u.getProtocol());
        login(out, u.getUserInfo());
        part(out, "host", u.getHost());
        part(out, "port", u.getPort() < 0 ? null : "" + u.getPort());
        part(out, "path", u.getPath() + entry);
        part(out, "query", u.getQuery());
        part(out, "fragment", u.getRef());
    }

    public static void main(String[] args) throws Exception {
        StringBuilder all = new StringBuilder("version " + encode("Java " + System.getProperty("java.version")) + "\n");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        int number = 0;
        for (String line; (line = in.readLine()) != null; number++) {
            byte[] octets = Base64.getDecoder().decode(line);
            String text = new String(octets, StandardCharsets.UTF_8);
            all.append(number).append(' ').append(octets.length);
            StringBuilder out = new StringBuilder(" ok");
            try {
                if (args[0].equals("uri")) uri(out, text); else url(out, text);
                all.append(out);
            } catch (URISyntaxException e) { // its message has the URL
                all.append(" no ").append(encode(e.getReason() + " at index " + e.getIndex()));
            } catch (Exception e) {
                all.append(" no ").append(encode(e.getMessage() == null ? "refused" : e.getMessage()));
            }
            all.append('\n');
        }
        System.out.print(all);
    }
}
