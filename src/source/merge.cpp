// SPDX-License-Identifier: BSD-3-Clause
// open_captures(): several captures as one, in order of time. A file is opened when the time of its first frame has
// come, so that a ring buffer of thousands of files costs one buffer, and overlapping files are merged frame by frame.
// Two taps on one path are not one capture: files that hold the same packets are refused, also when their clocks differ
// by more than the captures last.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "source/frame_source.h"
#include "source/input_name.h"
#include "source/packet_sketch.h"
#include "source/record_reader.h"

namespace rocetop::source {
namespace {

// Each open file costs its buffers (0.7 MiB, and a zstd window). More files than this at one moment are not one
// capture.
constexpr std::size_t kMostOpen = 64;
constexpr std::size_t kMostFiles = 65'536;  // FrameId has 16 bits for the file

// Two taps on one path: packets are sampled from the first ones of each file, and compared when this many have been
// seen, and when a file ends. Half of the smaller sample must be in the other one: taps that see each other's packets
// after a loss point still share most, and multicast that reaches two unrelated taps is a small part.
constexpr std::uint64_t kSketchedFrames = 262'144;
constexpr std::uint64_t kComparedAt[] = {1'024, 16'384, kSketchedFrames};
constexpr std::size_t kFewestCommonEarly = 64;
constexpr std::size_t kFewestCommonAtEnd = 2;     // of files that overlap
constexpr std::size_t kFewestCommonOfClosed = 4;  // of files that follow each other: their clocks must differ
constexpr std::size_t kMostClosedSketches = 16;   // 16 KiB each

// Frames read ahead when the files are opened, so that the usual case of two taps is an error and not a late surprise.
constexpr std::uint64_t kTrialFrames = 65'536;

struct Input {
  std::string path;
  std::uint32_t file = 0;  // in the order given
  Nanos first_time = Nanos::min();
  std::optional<std::uint64_t> bytes_total;
  std::unique_ptr<FrameSource> source;  // while open
  std::vector<Frame> batch;
  std::size_t next = 0;  // in batch
  std::vector<std::uint32_t> global_interfaces;
  PacketSketch sketch;
  std::uint64_t sketched = 0;

  const Frame& front() const { return batch[next]; }
};

/// Whether a's next frame comes after b's.
bool comes_after(const Input* a, const Input* b) {
  if (a->front().time != b->front().time) return a->front().time > b->front().time;
  return a->file > b->file;
}

/// What is kept of a file that was read to its end.
struct ClosedSketch {
  std::string path;
  PacketSketch sketch;
};

Problem same_packets(const std::string& a, const std::string& b) {
  return {input_name(a) + " and " + input_name(b) +
              ": hold the same packets, so they are two taps on one path, not parts of one capture",
          "Analyse each alone: merged, every packet would count twice."};
}

class MergeSource final : public FrameSource {
 public:
  /// `inputs` sorted by first_time.
  explicit MergeSource(std::vector<Input> inputs) : inputs_(std::move(inputs)) {}

  bool next_batch(std::vector<Frame>& batch) override;
  const std::vector<InterfaceFacts>& interfaces() const override { return interfaces_; }
  const std::vector<Problem>& problems() const override { return problems_; }
  std::uint64_t bytes_read() const override;
  std::optional<std::uint64_t> bytes_total() const override;

  /// Two of the files hold the same packets.
  bool taps_on_one_path() const { return taps_on_one_path_; }

 private:
  bool refill();
  bool open_due();
  bool open(Input& input);
  bool fetch(Input& input);
  void close(Input& input);
  void emit_run(std::vector<Frame>& batch);
  void sync_interfaces(Input& input);
  void compare(Input& input, std::size_t fewest_common);
  bool compare(Input& input, const std::string& other_path, PacketSketch& other, std::size_t fewest_common);
  void sketch(Input& input, const Frame& frame);

  std::vector<Input> inputs_;
  std::size_t next_unopened_ = 0;
  std::vector<Input*> open_;                  // heap: the one with the earliest frame in front
  std::deque<ClosedSketch> closed_sketches_;  // of the files read last
  std::vector<InterfaceFacts> interfaces_;
  std::vector<Problem> problems_;
  std::uint64_t closed_bytes_ = 0;
  Input* drained_ = nullptr;  // its batch was handed out to the end
  bool ended_ = false;
  bool taps_on_one_path_ = false;
};

bool MergeSource::next_batch(std::vector<Frame>& batch) {
  batch.clear();
  if (ended_ || !refill()) {
    ended_ = true;
    return false;
  }
  while (batch.size() < kBatchFrames && drained_ == nullptr && !ended_) {
    // A failure to open the next file comes after the frames before it.
    if (!open_due()) {
      ended_ = true;
      break;
    }
    if (open_.empty()) break;
    emit_run(batch);
  }
  return !batch.empty();
}

/// Fetches the next batch of the input whose frames were all handed out. False if reading must end.
bool MergeSource::refill() {
  if (drained_ == nullptr) return true;
  Input& input = *std::exchange(drained_, nullptr);
  if (!fetch(input)) return problems_.empty() || !problems_.back().fatal;
  open_.push_back(&input);
  std::push_heap(open_.begin(), open_.end(), comes_after);
  return true;
}

/// Opens the files whose first frame is due. False if one cannot be.
bool MergeSource::open_due() {
  while (next_unopened_ < inputs_.size()) {
    Input& input = inputs_[next_unopened_];
    if (!open_.empty() && input.first_time > open_.front()->front().time) return true;
    ++next_unopened_;
    if (!open(input)) return false;
  }
  return true;
}

bool MergeSource::open(Input& input) {
  if (open_.size() >= kMostOpen) {
    problems_.push_back({.message = input_name(input.path) + ": overlaps in time with " + std::to_string(kMostOpen) +
                                    " other files, and rocetop reads no more at once",
                         .hint = "Merge them first with mergecap, or name fewer files.",
                         .limit = true});
    return false;
  }
  if (!input.source) {
    auto source = open_capture(input.path);
    if (!source) {
      problems_.push_back({source.error().message, source.error().hint});
      return false;
    }
    input.source = std::move(source.value());
  }
  // An input that was kept open since it was looked at has its first batch.
  if (input.batch.empty() && !fetch(input)) return problems_.empty() || !problems_.back().fatal;
  sync_interfaces(input);
  open_.push_back(&input);
  std::push_heap(open_.begin(), open_.end(), comes_after);
  return true;
}

/// The next batch of `input`. False at its end, which closes it.
bool MergeSource::fetch(Input& input) {
  input.next = 0;
  const bool more = input.source->next_batch(input.batch);
  sync_interfaces(input);
  if (!more) close(input);
  return more;
}

void MergeSource::close(Input& input) {
  const auto& problems = input.source->problems();
  problems_.insert(problems_.end(), problems.begin(), problems.end());
  for (std::size_t i = 0; i < input.global_interfaces.size(); ++i) {
    interfaces_[input.global_interfaces[i]].frames_dropped = input.source->interfaces()[i].frames_dropped;
  }
  closed_bytes_ += input.source->bytes_read();
  compare(input, kFewestCommonAtEnd);
  if (closed_sketches_.size() == kMostClosedSketches) closed_sketches_.pop_front();
  closed_sketches_.push_back({input.path, std::exchange(input.sketch, {})});
  input.source.reset();
  input.batch = {};
}

void MergeSource::sync_interfaces(Input& input) {
  const auto& local = input.source->interfaces();
  while (input.global_interfaces.size() < local.size()) {
    InterfaceFacts facts = local[input.global_interfaces.size()];
    facts.file = input.file;
    input.global_interfaces.push_back(static_cast<std::uint32_t>(interfaces_.size()));
    interfaces_.push_back(std::move(facts));
  }
}

/// Hands out frames of the earliest input, until another input's frame comes first, its batch ends, or `batch` is full.
void MergeSource::emit_run(std::vector<Frame>& batch) {
  std::pop_heap(open_.begin(), open_.end(), comes_after);
  Input& input = *open_.back();
  open_.pop_back();
  const Nanos next_file = next_unopened_ < inputs_.size() ? inputs_[next_unopened_].first_time : Nanos::max();
  do {
    Frame& frame = batch.emplace_back(input.batch[input.next++]);
    frame.id = FrameId(input.file, frame.id.number());
    frame.interface = input.global_interfaces[frame.interface];
    sketch(input, frame);
    if (taps_on_one_path_) return;
    if (input.next == input.batch.size()) {
      drained_ = &input;
      return;
    }
  } while (batch.size() < kBatchFrames && input.front().time < next_file &&
           (open_.empty() || !comes_after(&input, open_.front())));
  open_.push_back(&input);
  std::push_heap(open_.begin(), open_.end(), comes_after);
}

void MergeSource::sketch(Input& input, const Frame& frame) {
  if (input.sketched >= kSketchedFrames) return;
  ++input.sketched;
  if (const auto fingerprint = packet_fingerprint(frame.bytes, frame.link_type)) input.sketch.add(*fingerprint);
  if (std::find(std::begin(kComparedAt), std::end(kComparedAt), input.sketched) == std::end(kComparedAt)) return;
  compare(input, kFewestCommonEarly);
}

/// Ends with a problem if `input` and another file hold the same packets.
void MergeSource::compare(Input& input, std::size_t fewest_common) {
  for (Input* other : open_) {
    if (other != &input && compare(input, other->path, other->sketch, fewest_common)) return;
  }
  for (ClosedSketch& other : closed_sketches_) {
    if (compare(input, other.path, other.sketch, std::max(fewest_common, kFewestCommonOfClosed))) return;
  }
}

bool MergeSource::compare(Input& input, const std::string& other_path, PacketSketch& other, std::size_t fewest_common) {
  const auto overlap = PacketSketch::compare(input.sketch, other);
  if (overlap.common < fewest_common || overlap.common * 2 < overlap.smaller) return false;
  problems_.push_back(same_packets(other_path, input.path));
  taps_on_one_path_ = ended_ = true;
  return true;
}

std::uint64_t MergeSource::bytes_read() const {
  std::uint64_t sum = closed_bytes_;
  for (const Input* input : open_) sum += input->source->bytes_read();
  if (drained_ != nullptr) sum += drained_->source->bytes_read();
  return sum;
}

std::optional<std::uint64_t> MergeSource::bytes_total() const {
  std::uint64_t sum = 0;
  for (const Input& input : inputs_) {
    if (!input.bytes_total) return std::nullopt;
    sum += *input.bytes_total;
  }
  return sum;
}

/// The file behind a path, however the path is written.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

/// Opens the capture at `path` to see when it begins. Only what cannot be opened again (a pipe) stays open.
Result<Input> look_at(const std::string& path, std::uint32_t file, bool can_be_reopened, int stop) {
  auto source = open_capture(path, stop);
  if (!source) return source.error();
  Input input;
  input.path = path;
  input.file = file;
  input.bytes_total = source.value()->bytes_total();
  if (source.value()->next_batch(input.batch)) input.first_time = input.batch.front().time;
  if (can_be_reopened) {
    input.batch = {};
  } else {
    input.source = std::move(source.value());
  }
  return input;
}

/// All captures, in order of their first frames. Error: for the first that has one, or that was given before.
Result<std::vector<Input>> look_at_all(const std::vector<std::string>& paths, int stop) {
  std::vector<Input> inputs;
  std::map<FileIdentity, std::string> seen;
  for (const std::string& path : paths) {
    struct stat facts{};
    const bool known = (path == "-" ? ::fstat(STDIN_FILENO, &facts) : ::stat(path.c_str(), &facts)) == 0;
    if (known) {
      const auto [earlier, is_new] = seen.try_emplace({facts.st_dev, facts.st_ino}, path);
      if (!is_new) {
        const std::string name = input_name(path);
        const std::string before = input_name(earlier->second);
        return Error{name == before ? name + ": is given twice" : name + ": is the same file as " + before,
                     "Name each capture once."};
      }
    }
    auto input =
        look_at(path, static_cast<std::uint32_t>(inputs.size()), known && S_ISREG(facts.st_mode) && path != "-", stop);
    if (!input) return input.error();
    inputs.push_back(std::move(input.value()));
  }
  std::stable_sort(inputs.begin(), inputs.end(),
                   [](const Input& a, const Input& b) { return a.first_time < b.first_time; });
  return inputs;
}

/// Reads the beginning of `inputs`, if they can be read again. Error: two taps on one path.
Result<Done> try_out(const std::vector<Input>& inputs) {
  std::vector<Input> again;
  for (const Input& input : inputs) {
    if (input.source) return Done{};
    Input& copy = again.emplace_back();
    copy.path = input.path;
    copy.file = input.file;
    copy.first_time = input.first_time;
  }
  MergeSource trial(std::move(again));
  std::vector<Frame> batch;
  for (std::uint64_t frames = 0; frames < kTrialFrames && trial.next_batch(batch);) frames += batch.size();
  if (!trial.taps_on_one_path()) return Done{};  // any other problem will be met again, in its place
  return Error{trial.problems().back().message, trial.problems().back().hint};
}

}  // namespace

Result<std::unique_ptr<FrameSource>> open_captures(const std::vector<std::string>& paths, int stop) {
  if (paths.empty()) return Error{"no capture was named", "Name one or more files, or - for standard input."};
  if (paths.size() == 1) return open_capture(paths.front(), stop);
  if (paths.size() > kMostFiles) {
    return Error{"more than 65536 captures cannot be read as one", "Merge some of them first with mergecap."};
  }
  auto inputs = look_at_all(paths, stop);
  if (!inputs) return inputs.error();
  if (auto tried = try_out(inputs.value()); !tried) return tried.error();
  return std::unique_ptr<FrameSource>(std::make_unique<MergeSource>(std::move(inputs.value())));
}

}  // namespace rocetop::source
