// The protocol of lens/results.go: URLs in base64 from standard input, a line for each.
#pragma once
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

inline std::string encode(std::string_view in) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < in.size(); i += 3) {
    unsigned v = 0, n = 0;
    for (; n < 3; n++) v = v << 8 | (i + n < in.size() ? (unsigned char)in[i + n] : 0);
    size_t left = in.size() - i;
    out += digits[v >> 18];
    out += digits[v >> 12 & 63];
    out += left > 1 ? digits[v >> 6 & 63] : '=';
    out += left > 2 ? digits[v & 63] : '=';
  }
  return out;
}

inline std::string decode(std::string_view in) {
  std::string out;
  unsigned v = 0, bits = 0;
  for (char c : in) {
    int digit = c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
    if (digit < 0) continue;
    v = v << 6 | unsigned(digit);
    bits += 6;
    if (bits >= 8) out += char(v >> (bits -= 8) & 255);
  }
  return out;
}

// Answer is the result for one URL.
class Answer {
  std::string parts = " ok", error;

public:
  void part(const char *name, std::string_view text) { parts += std::string(" ") + name + ":" + encode(text); }
  void part(const char *name, const char *text) {
    if (text) part(name, std::string_view(text));
  }
  void filled(const char *name, std::string_view text) {
    if (!text.empty()) part(name, text);
  }
  // login splits userinfo at its first colon.
  void login(std::string_view userinfo) {
    size_t colon = userinfo.find(':');
    part("user", userinfo.substr(0, colon));
    if (colon != std::string_view::npos) part("password", userinfo.substr(colon + 1));
  }
  void refuse(std::string_view why) { error = why; }
  std::string line() const { return error.empty() ? parts : " no " + encode(error); }
};

inline int answer(const std::string &version, const std::function<void(const std::string &, Answer &)> &read) {
  std::cout << "version " << encode(version) << "\n";
  std::string line;
  for (size_t number = 0; std::getline(std::cin, line); number++) {
    std::string text = decode(line);
    Answer a;
    read(text, a);
    std::cout << number << " " << text.size() << a.line() << "\n";
  }
  return 0;
}
