// Reads URLs with ada (class ada::url_aggregator).
//
//   ada speed FILE MILLISECONDS  prints, for each function, the nanoseconds of processor time per line of FILE
//   ada [...]                    reads URLs in the protocol of lens/results.go; other arguments are ignored
#include "ada.h"
#include "answer.h"
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>

static double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

// measure runs f on all lines until the least time is over, and prints the time per line.
template <typename F> static void measure(const char *name, const std::vector<std::string_view> &lines, double least, F f) {
  size_t sum = 0, rounds = 0;
  double start = now();
  while (now() - start < least * 1e6) {
    for (auto line : lines) sum += f(line);
    rounds++;
  }
  printf("%s\t%.2f\t%zu\n", name, (now() - start) / rounds / lines.size(), sum / rounds);
}

static int speed(const char *file, double least) {
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::string_view> lines;
  for (size_t start = 0, end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    lines.push_back(std::string_view(text).substr(start, end - start));
  if (lines.empty()) return 1;
  measure("ada::can_parse", lines, least, [](std::string_view s) { return size_t(ada::can_parse(s)); });
  measure("ada::parse", lines, least, [](std::string_view s) {
    auto u = ada::parse<ada::url_aggregator>(s);
    return u ? u->get_href().size() : 0;
  });
  return 0;
}

static void readURL(const std::string &text, Answer &a) {
  auto u = ada::parse<ada::url_aggregator>(text);
  if (!u) return a.refuse("not a URL of the URL Standard");
  auto scheme = u->get_protocol();
  a.part("scheme", scheme.substr(0, scheme.size() - 1));
  a.filled("user", u->get_username());
  a.filled("password", u->get_password());
  a.filled("host", u->get_hostname());
  a.filled("port", u->get_port());
  a.part("path", u->get_pathname());
  auto query = u->get_search(), fragment = u->get_hash();
  if (!query.empty()) a.part("query", query.substr(1));
  if (!fragment.empty()) a.part("fragment", fragment.substr(1));
}

int main(int argc, char **argv) {
  if (argc == 4 && !strcmp(argv[1], "speed")) return speed(argv[2], atof(argv[3]));
  return answer(std::string("ada ") + ADA_VERSION, readURL);
}
