// SPDX-License-Identifier: BSD-3-Clause
// MetricsPage: the text that is scraped, put together by a thread of its own, so that neither the capture nor the HTTP
// server waits for it. What a snapshot gives is rendered, and compressed, once for all who ask for it; what changes
// with every scrape comes behind it.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gzip_text.h"
#include "http_message.h"
#include "model/live.h"

namespace rocetop::cli {

struct PageSource {
  using SnapshotPtr = std::shared_ptr<const model::LiveSnapshot>;
  std::function<SnapshotPtr()> newest;                           ///< null before the first
  std::function<std::string(const model::LiveSnapshot&)> lasts;  ///< what a snapshot gives
  /// What is another at every scrape, beside what that snapshot gives; null before the first.
  std::function<std::string(const SnapshotPtr&)> changes;
  std::function<void(double)> took;  ///< told of the seconds that it took; may be empty
};

class MetricsPage {
 public:
  explicit MetricsPage(PageSource source);
  MetricsPage(const MetricsPage&) = delete;
  MetricsPage& operator=(const MetricsPage&) = delete;
  /// Who still waits gets no answer.
  ~MetricsPage();

  /// From any thread. Answers by the page's own thread.
  void get(bool gzip, HttpRespond respond);

 private:
  struct Wish {
    bool gzip = false;
    HttpRespond respond;
  };
  void run();
  void answer(std::vector<Wish>& wishes, bool gzip);
  HttpResponse make(bool gzip);
  void render(const PageSource::SnapshotPtr& snapshot);

  const PageSource source_;
  // Of the thread.
  PageSource::SnapshotPtr rendered_;
  std::shared_ptr<const std::string> text_;  // of rendered_
  DeflatedPart deflated_;                    // … once somebody asked for it

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Wish> wishes_;  // under mutex_, as all below
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace rocetop::cli
