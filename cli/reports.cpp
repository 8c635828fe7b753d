// SPDX-License-Identifier: BSD-3-Clause
#include "reports.h"

#include <filesystem>
#include <system_error>

#include "message.h"
#include "present/csv.h"
#include "present/html_report.h"
#include "source/input_name.h"

namespace rocetop::cli {

Result<Done> Reports::open(const std::string& html, const std::string& csv, const std::vector<std::string>& inputs) {
  if (!html.empty()) {
    if (html == "-")
      return Error{"--html writes a file, not standard output", "rocetop triage FILE --html report.html"};
    if (source::written_over(html, inputs) != nullptr)
      return Error{"--html " + html + " would overwrite the input", "rocetop triage FILE --html report.html"};
    html_.emplace();
    if (auto done = html_->open(html); !done) return done.error();
    if (!present::html_report_has_plots()) {
      complain("warning: the HTML report will have no plots: this rocetop was built without uPlot",
               "./dev build fetches it, where there is a network.");
    }
    recorder_.emplace();
  }
  if (!csv.empty()) {
    std::error_code error;
    std::filesystem::create_directories(csv, error);
    if (error) return Error{"--csv " + csv + ": " + error.message(), "Give a directory."};
    for (const present::CsvFile& file : present::csv_files()) {
      const std::string path = (std::filesystem::path(csv) / file.name).string();
      if (const std::string* input = source::written_over(path, inputs); input != nullptr)
        return Error{"--csv " + csv + " would overwrite " + *input + ", which is read", "Give another directory."};
    }
    csv_ = csv;
  }
  return Done{};
}

Result<Done> Reports::write(const model::Snapshot& whole, const model::Snapshot& shown, const std::string& selection) {
  if (html_) {
    if (auto done = write_html(whole, shown, selection); !done) return done.error();
  }
  if (!csv_.empty()) return write_csv(shown);
  return Done{};
}

Result<Done> Reports::write_html(const model::Snapshot& whole, const model::Snapshot& shown,
                                 const std::string& selection) {
  present::HtmlReportOptions options;
  options.selection = selection;
  present::write_html_report(whole, shown, recorder_->finish(whole), options,
                             [this](std::string_view text) { html_->write(text); });
  return html_->finish();
}

Result<Done> Reports::write_csv(const model::Snapshot& shown) const {
  for (const present::CsvFile& file : present::csv_files()) {
    FileOutput output;
    if (auto done = output.open((std::filesystem::path(csv_) / file.name).string()); !done) return done.error();
    file.write(shown, [&output](std::string_view text) { output.write(text); });
    if (auto done = output.finish(); !done) return done.error();
  }
  return Done{};
}

}  // namespace rocetop::cli
