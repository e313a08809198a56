// url.parse of Node.js.
const encode = (text) => Buffer.from(text, "utf8").toString("base64");
const lines = require("fs").readFileSync(0, "latin1").split("\n");
lines.pop();
const out = ["version " + encode("Node.js " + process.version)];
lines.forEach((line, number) => {
  const octets = Buffer.from(line, "base64");
  try {
    const u = require("url").parse(octets.toString("utf8"));
    const auth = u.auth || "", colon = auth.indexOf(":");
    const parts = {scheme: (u.protocol || "").replace(/:$/, ""), user: colon < 0 ? auth : auth.slice(0, colon), password: colon < 0 ? "" : auth.slice(colon + 1), host: u.hostname || "", port: u.port || "", path: u.pathname || "", query: (u.search || "").slice(1), fragment: (u.hash || "").slice(1)};
    const list = Object.entries(parts).filter(([k, v]) => v || k === "path").map(([k, v]) => k + ":" + encode(v));
    out.push([number, octets.length, "ok", ...list].join(" "));
  } catch (e) {
    out.push([number, octets.length, "no", encode(String(e.message) || "refused")].join(" "));
  }
});
process.stdout.write(out.join("\n") + "\n");
