// SPDX-License-Identifier: BSD-3-Clause
#include "landing_page.h"

#include <fmt/format.h>

#include <string_view>

#include "present/text.h"

namespace rocetop::cli {

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : present::clean(text, true)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string landing_page(const LandingFacts& facts) {
  std::string inputs;
  for (const std::string& input : facts.inputs) inputs += "<li>" + html_escaped(input) + "</li>";
  const std::string path = html_escaped(facts.metrics_path);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>rocetop</title>\n"
      "<style>body{{font-family:sans-serif;max-width:40em;margin:3em auto;padding:0 1em;line-height:1.5}}"
      "small{{opacity:.7}}</style></head><body>\n"
      "<h1>rocetop <small>{}</small></h1>\n<p>What RDMA over Ethernet resends, waits for and loses, and why.</p>\n"
      "<ul><li><a href=\"{}\">Metrics</a></li><li><a href=\"/-/healthy\">Healthy?</a></li>"
      "<li><a href=\"/-/ready\">Ready?</a></li></ul>\n<p>{}:</p>\n<ul>{}</ul>\n</body></html>\n",
      ROCETOP_VERSION, path, html_escaped(facts.state), inputs);
}

}  // namespace rocetop::cli
