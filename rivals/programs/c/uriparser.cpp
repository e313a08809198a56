// Reads URLs with uriparser (uriParseSingleUriExA). It ignores its arguments.
#include "answer.h"
#include <uriparser/Uri.h>

static std::string_view range(const UriTextRangeA &r) { return {r.first, size_t(r.afterLast - r.first)}; }

static void readURL(const std::string &text, Answer &a) {
  UriUriA u;
  const char *at = nullptr;
  if (uriParseSingleUriExA(&u, text.data(), text.data() + text.size(), &at) != URI_SUCCESS)
    return a.refuse(at ? "syntax error at byte " + std::to_string(at - text.data()) : "error");
  if (u.scheme.first) a.part("scheme", range(u.scheme));
  if (u.userInfo.first) a.login(range(u.userInfo));
  if (u.hostText.first) a.part("host", range(u.hostText));
  if (u.portText.first) a.part("port", range(u.portText));
  std::string path = u.absolutePath || (u.hostText.first && u.pathHead) ? "/" : "";
  for (auto *s = u.pathHead; s; s = s->next) {
    path += range(s->text);
    if (s->next) path += "/";
  }
  a.part("path", path);
  if (u.query.first) a.part("query", range(u.query));
  if (u.fragment.first) a.part("fragment", range(u.fragment));
  uriFreeUriMembersA(&u);
}

int main() { return answer("uriparser " URI_VER_ANSI, readURL); }
