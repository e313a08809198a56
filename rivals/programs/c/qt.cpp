// Reads URLs with QUrl: "qt strict" in StrictMode, otherwise in TolerantMode, which is its default. It ignores
// other arguments.
#include "answer.h"
#include <QUrl>
#include <cstring>

static std::string text(const QString &s) { return s.toStdString(); }

int main(int argc, char **argv) {
  bool strict = argc > 1 && !strcmp(argv[1], "strict");
  return answer(std::string("Qt ") + qVersion() + (strict ? " StrictMode" : " TolerantMode"), [strict](const std::string &in, Answer &a) {
    QUrl u(QString::fromUtf8(in.data(), int(in.size())), strict ? QUrl::StrictMode : QUrl::TolerantMode);
    if (!u.isValid()) {
      // The message quotes the URL after its first sentence.
      std::string why = u.errorString().section(';', 0, 0).toStdString();
      return a.refuse(why.empty() ? "invalid" : why);
    }
    a.part("scheme", text(u.scheme()));
    a.filled("user", text(u.userName(QUrl::FullyEncoded)));
    a.filled("password", text(u.password(QUrl::FullyEncoded)));
    a.filled("host", text(u.host(QUrl::FullyEncoded)));
    if (u.port() >= 0) a.part("port", std::to_string(u.port()));
    a.part("path", text(u.path(QUrl::FullyEncoded)));
    if (u.hasQuery()) a.part("query", text(u.query(QUrl::FullyEncoded)));
    if (u.hasFragment()) a.part("fragment", text(u.fragment(QUrl::FullyEncoded)));
  });
}
