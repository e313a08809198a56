// Reads URLs with GUri of GLib, with the flags of libsoup (SOUP_HTTP_URI_FLAGS). It ignores its arguments.
#include "answer.h"
#include <glib.h>

static const int flags = G_URI_FLAGS_HAS_PASSWORD | G_URI_FLAGS_ENCODED_PATH | G_URI_FLAGS_ENCODED_QUERY |
                         G_URI_FLAGS_ENCODED_FRAGMENT | G_URI_FLAGS_SCHEME_NORMALIZE;

static void readURL(const std::string &text, Answer &a) {
  if (text.find('\0') != std::string::npos) return a.refuse("a NUL byte");
  GError *error = nullptr;
  GUri *u = g_uri_parse(text.c_str(), GUriFlags(flags), &error);
  if (!u) {
    a.refuse(error->message);
    g_error_free(error);
    return;
  }
  a.part("scheme", g_uri_get_scheme(u));
  a.part("user", g_uri_get_user(u));
  a.part("password", g_uri_get_password(u));
  a.part("host", g_uri_get_host(u));
  if (g_uri_get_port(u) >= 0) a.part("port", std::to_string(g_uri_get_port(u)));
  a.part("path", g_uri_get_path(u));
  a.part("query", g_uri_get_query(u));
  a.part("fragment", g_uri_get_fragment(u));
  g_uri_unref(u);
}

int main() {
  return answer("GLib " + std::to_string(glib_major_version) + "." + std::to_string(glib_minor_version) + "." + std::to_string(glib_micro_version), readURL);
}
