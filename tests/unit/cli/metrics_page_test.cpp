// SPDX-License-Identifier: BSD-3-Clause
#include "metrics_page.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace rocetop::cli {
namespace {

std::string text_of(const HttpResponse& response) {
  std::string out;
  for (const auto& part : response.body) out += *part;
  return out;
}

/// Clients may ask faster than a page is made, and leave without waiting for it.
TEST(MetricsPage, AllThatWaitGetThePageThatIsMadeOnce) {
  constexpr int kWaiting = 1'000;
  std::promise<void> begun;
  std::promise<void> may_go_on;
  std::promise<void> all;
  std::atomic<int> made = 0;
  std::atomic<int> answered = 0;
  PageSource source;
  source.newest = [] { return PageSource::SnapshotPtr(); };
  source.changes = [&](const PageSource::SnapshotPtr&) {
    if (++made == 1) {
      begun.set_value();
      may_go_on.get_future().wait();
    }
    return "page " + std::to_string(made);
  };
  MetricsPage page(std::move(source));
  std::string first;
  page.get(false, [&](const HttpResponse& response) { first = text_of(response); });
  begun.get_future().wait();
  for (int i = 0; i < kWaiting; ++i) {
    page.get(i % 2 == 0, [&](const HttpResponse& response) {
      EXPECT_EQ(response.status, 200U);
      EXPECT_TRUE(response.gzip || text_of(response) == "page 2");
      if (++answered == kWaiting) all.set_value();
    });
  }
  may_go_on.set_value();
  all.get_future().wait();
  EXPECT_EQ(first, "page 1");
  EXPECT_EQ(made, 3);  // the first, and one of each form
}

/// The input ends while a page is made: "it has ended" must not stand beside what was counted before that.
TEST(MetricsPage, WhatChangesIsOfTheSnapshotThatIsBesideIt) {
  auto newest = std::make_shared<const model::LiveSnapshot>();
  PageSource source;
  source.newest = [&] { return newest; };
  source.lasts = [&](const model::LiveSnapshot& snapshot) {
    auto next = std::make_shared<model::LiveSnapshot>();
    next->final = true;
    newest = next;
    return std::string(snapshot.final ? "counts of the end" : "counts of before");
  };
  source.changes = [](const PageSource::SnapshotPtr& beside) {
    return std::string(beside->final ? ", ended" : ", reading");
  };
  MetricsPage page(std::move(source));
  for (const char* expected : {"counts of before, reading", "counts of the end, ended"}) {
    std::promise<std::string> text;
    page.get(false, [&](const HttpResponse& response) { text.set_value(text_of(response)); });
    EXPECT_EQ(text.get_future().get(), expected);
  }
}

}  // namespace
}  // namespace rocetop::cli
