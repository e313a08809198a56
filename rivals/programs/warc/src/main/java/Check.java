import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import java.util.Map;
import java.util.TreeMap;
import org.jwat.warc.WarcReader;
import org.jwat.warc.WarcReaderFactory;
import org.jwat.warc.WarcRecord;

/**
 * Check reads web archives with JWAT, which recomputes the digests, and prints one JSON object per archive:
 * records per type, digests by their result, and JWAT's diagnostics.
 */
public class Check {
    public static void main(String[] names) throws Exception {
        for (String name : names) {
            try (InputStream in = new BufferedInputStream(new FileInputStream(name), 1 << 16)) {
                check(in);
            }
        }
    }

    static void check(InputStream in) throws Exception {
        Map<String, Integer> types = new TreeMap<>();
        Map<String, Integer> diagnostics = new TreeMap<>();
        int records = 0, good = 0, bad = 0, none = 0, compliant = 0;
        WarcReader reader = WarcReaderFactory.getReader(in, 1 << 16);
        reader.setBlockDigestEnabled(true);
        reader.setPayloadDigestEnabled(true);
        byte[] buffer = new byte[1 << 16];
        WarcRecord record;
        while ((record = reader.getNextRecord()) != null) {
            InputStream payload = record.getPayloadContent();
            if (payload != null) {
                while (payload.read(buffer) >= 0) {
                }
            }
            record.close();
            records++;
            types.merge(String.valueOf(record.header.warcTypeStr), 1, Integer::sum);
            boolean revisit = "revisit".equals(record.header.warcTypeStr);
            Boolean block = record.isValidBlockDigest, body = revisit ? null : record.isValidPayloadDigest;
            if (Boolean.FALSE.equals(block) || Boolean.FALSE.equals(body)) {
                bad++;
            } else if (block != null || body != null) {
                good++;
            } else {
                none++;
            }
            if (record.isCompliant()) {
                compliant++;
            }
            record.diagnostics.getErrors().forEach(d -> diagnostics.merge(d.type + " " + d.entity, 1, Integer::sum));
            record.diagnostics.getWarnings().forEach(d -> diagnostics.merge(d.type + " " + d.entity, 1, Integer::sum));
        }
        boolean whole = reader.isCompliant();
        reader.close();
        System.out.println("{\"records\":" + records + ",\"types\":" + json(types) + ",\"good\":" + good + ",\"bad\":" + bad
            + ",\"none\":" + none + ",\"compliant\":" + compliant + ",\"whole\":" + whole + ",\"diagnostics\":" + json(diagnostics) + "}");
    }

    static String json(Map<String, Integer> counts) {
        StringBuilder text = new StringBuilder("{");
        counts.forEach((name, n) -> text.append(text.length() > 1 ? "," : "").append('"')
            .append(name.replace("\\", "\\\\").replace("\"", "\\\"")).append("\":").append(n));
        return text.append("}").toString();
    }
}
