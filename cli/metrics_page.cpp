// SPDX-License-Identifier: BSD-3-Clause
#include "metrics_page.h"

#include <chrono>
#include <optional>
#include <utility>

namespace rocetop::cli {

MetricsPage::MetricsPage(PageSource source) : source_(std::move(source)), text_(std::make_shared<const std::string>()) {
  thread_ = std::thread([this] { run(); });
}

MetricsPage::~MetricsPage() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void MetricsPage::get(bool gzip, HttpRespond respond) {
  {
    const std::lock_guard lock(mutex_);
    wishes_.push_back({gzip, std::move(respond)});
  }
  changed_.notify_all();
}

/// All that wait get the same: clients that ask and leave again make no more work than one that stays.
void MetricsPage::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !wishes_.empty(); });
    if (stopping_) return;
    std::vector<Wish> wishes = std::exchange(wishes_, {});
    lock.unlock();
    for (const bool gzip : {false, true}) answer(wishes, gzip);
    wishes.clear();
    lock.lock();
  }
}

void MetricsPage::answer(std::vector<Wish>& wishes, bool gzip) {
  std::optional<HttpResponse> response;
  for (Wish& wish : wishes) {
    if (wish.gzip != gzip) continue;
    if (!response) {
      const auto begin = std::chrono::steady_clock::now();
      response = make(gzip);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      if (source_.took) source_.took(took.count());
    }
    wish.respond(*response);
  }
}

HttpResponse MetricsPage::make(bool gzip) {
  if (const auto snapshot = source_.newest(); snapshot && snapshot != rendered_) render(snapshot);
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.headers.emplace_back("Vary", "Accept-Encoding");
  std::string changes = source_.changes(rendered_);
  if (!gzip) {
    response.body = {text_, std::make_shared<const std::string>(std::move(changes))};
    return response;
  }
  if (!deflated_.bytes) deflated_ = deflate_part(*text_, false);
  response.gzip = true;
  response.body = gzip_of({deflated_, deflate_part(changes, true)});
  return response;
}

void MetricsPage::render(const PageSource::SnapshotPtr& snapshot) {
  rendered_ = snapshot;
  text_ = std::make_shared<const std::string>(source_.lasts(*snapshot));
  deflated_ = {};
}

}  // namespace rocetop::cli
