// Reads the WARC file of the first argument with warcio, writes a line of JSON for each
// record, with the digests that warcio computes, and writes the records again to the
// second, each in a gzip member.
import { createReadStream, createWriteStream } from "node:fs";
import { WARCParser, WARCSerializer } from "warcio";

const [, , from, to] = process.argv;
const digest = { algo: "sha-1", prefix: "sha1:", base32: true };
const lines = [];
for await (const record of new WARCParser(createReadStream(from), { parseHttp: true })) {
  const headers = record.warcHeaders.headers;
  const line = { type: record.warcType, id: headers.get("WARC-Record-ID"), target: record.warcTargetURI, payload: record.warcPayloadDigest };
  if (record.warcType !== "warcinfo" && record.warcType !== "revisit") {
    await new WARCSerializer(record, { digest }).digestRecord({ recompute: true });
    line.payloadAgain = headers.get("WARC-Payload-Digest");
  }
  lines.push(line);
}
const out = createWriteStream(to);
let n = 0;
for await (const record of new WARCParser(createReadStream(from), { parseHttp: false, keepHeadersCase: true })) {
  lines[n].block = record.warcBlockDigest;
  const again = new WARCSerializer(record, { gzip: true, digest });
  await again.digestRecord({ recompute: true });
  lines[n++].blockAgain = record.warcHeaders.headers.get("WARC-Block-Digest");
  for await (const chunk of again) out.write(chunk);
}
out.end(() => lines.forEach((line) => console.log(JSON.stringify(line))));
