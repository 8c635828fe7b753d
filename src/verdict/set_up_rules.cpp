// SPDX-License-Identifier: BSD-3-Clause
// Connection management that is slow, or that had to ask twice.
#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

struct Group {
  std::vector<const track::CmSetUp*> list;
  std::uint64_t repeats = 0;
  std::uint64_t unanswered = 0;
  Nanos longest;
};

/// From the first REQ to the last step that was seen.
Nanos lasted(const track::CmSetUp& s) {
  const Nanos end = s.ready_frame ? s.ready_time : s.reply_frame ? s.reply_time : s.last_request_time;
  return end > s.request_time ? end - s.request_time : Nanos{};
}

void report(Docket& docket, const IpAddress& from, const IpAddress& to, const Group& group) {
  Finding& f = docket.add("cm.slow", Severity::kWarning, Confidence::kHigh);
  f.hosts = {from, to};
  f.title = fmt::format("setting up {} from {} to {} took up to {}", plural(group.list.size(), "connection"),
                        from.to_string(), to.to_string(), short_duration(group.longest));
  if (group.repeats != 0) f.title += fmt::format(", with {}", plural(group.repeats, "repeat"));
  f.explanation = "Measured from the first CM REQ to the RTU, or to the last step that the capture holds. ";
  f.explanation +=
      group.repeats != 0
          ? "A REQ or REP that is repeated was lost, or its answer was, or the other side was slow to give it."
          : "No message was repeated: the time went by between the messages, at the hosts.";
  if (group.unanswered != 0) {
    f.explanation += fmt::format(" {} never answered in this capture.",
                                 group.unanswered == 1 ? "One was" : fmt::format("{} were", group.unanswered));
  }
  f.next_steps = {fmt::format("on {}: is the server busy, is its listen backlog full?", to.to_string()),
                  "packets of queue pair 1 travel in a class of their own, often without PFC: look for drops there"};
  for (const auto* s : group.list) {
    cite(f, s->request_frame, s->request_time);
    if (s->request_repeats != 0) cite(f, s->last_request_frame, s->last_request_time);
    if (s->reply_frame) cite(f, s->reply_frame, s->reply_time);
    if (s->ready_frame) cite(f, s->ready_frame, s->ready_time);
  }
  f.values = {{"set_ups", static_cast<double>(group.list.size())},
              {"longest_ns", static_cast<double>(group.longest.count)},
              {"repeats", static_cast<double>(group.repeats)},
              {"unanswered", static_cast<double>(group.unanswered)}};
}

}  // namespace

void judge_set_ups(Docket& docket) {
  std::map<std::pair<IpAddress, IpAddress>, Group> groups;
  for (const track::CmSetUp& s : docket.evidence().set_ups) {
    if (s.rejected) continue;
    const std::uint64_t repeats = s.request_repeats + s.reply_repeats;
    if (repeats == 0 && lasted(s) < docket.thresholds().slow_set_up) continue;
    Group& group = groups[{s.from, s.to}];
    group.list.push_back(&s);
    group.repeats += repeats;
    group.unanswered += s.reply_frame ? 0 : 1;
    group.longest = std::max(group.longest, lasted(s));
  }
  for (const auto& [hosts, group] : groups) report(docket, hosts.first, hosts.second, group);
}

}  // namespace rocetop::verdict
