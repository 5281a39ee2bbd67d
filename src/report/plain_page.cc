#include "report/plain_page.h"

#include "report/page.inc"

namespace akgen::report {

std::string Escaped(const std::string& text) {
  std::string out;
  for (char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

std::string PlainPage(const std::string& title, const std::string& body, const std::string& footer) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         Escaped(title) + "</title>\n<style>\n" + kPageCss + "</style>\n</head>\n<body>\n<main id=\"main\">\n<h1>" +
         Escaped(title) + "</h1>\n" + body + "</main>\n<footer>" + Escaped(footer) + "</footer>\n</body>\n</html>\n";
}

}  // namespace akgen::report
