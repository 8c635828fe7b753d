// SPDX-License-Identifier: BSD-3-Clause
// What a signal does to a program that reads, that finishes, and that has half a file. Each case is a process of its
// own: signals are of a process.
#include "interrupt.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "file_output.h"

namespace rocetop::cli {
namespace {

namespace fs = std::filesystem;

class Interrupt : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "fast");
    folder_ = fs::path(testing::TempDir()) / ("interrupt_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  bool nothing_left() const { return fs::is_empty(folder_); }
  std::string file() const { return (folder_ / "report.html").string(); }

 private:
  fs::path folder_;
};

TEST_F(Interrupt, WhileReadingAsksToStop) {
  EXPECT_EXIT(
      {
        stop_on_interrupt();
        raise(SIGTERM);
        _exit(interrupted() ? interrupted_status() : 0);
      },
      testing::ExitedWithCode(143), "");
}

TEST_F(Interrupt, TheSecondEndsTheProgram) {
  EXPECT_EXIT(
      {
        stop_on_interrupt();
        raise(SIGTERM);
        raise(SIGINT);
        _exit(0);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST_F(Interrupt, WhenReadingHasEndedTheFirstEndsTheProgramAndRemovesHalfAFile) {
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(
        {
          stop_on_interrupt();
          FileOutput output;
          if (!output.open(file())) _exit(1);
          end_on_interrupt("not whole\n");
          output.write("half");
          raise(signal);
          _exit(0);
        },
        testing::KilledBySignal(signal), "not whole");
    EXPECT_TRUE(nothing_left());
  }
}

TEST_F(Interrupt, AFileThatIsWholeStays) {
  EXPECT_EXIT(
      {
        stop_on_interrupt();
        end_on_interrupt("whole\n");
        FileOutput output;
        if (!output.open(file())) _exit(1);
        output.write("whole");
        if (!output.finish()) _exit(1);
        raise(SIGTERM);
        _exit(0);
      },
      testing::KilledBySignal(SIGTERM), "whole");
  EXPECT_EQ(fs::file_size(file()), 5);
}

TEST_F(Interrupt, HeldSignalsComeLater) {
  EXPECT_EXIT(
      {
        stop_on_interrupt();
        end_on_interrupt("later\n");
        bool early = true;
        {
          const SignalsHeld held;
          raise(SIGTERM);
          early = false;
        }
        _exit(early ? 1 : 2);
      },
      testing::KilledBySignal(SIGTERM), "later");
}

TEST_F(Interrupt, AHangupAsksOnceForAReading) {
  EXPECT_EXIT(
      {
        stop_on_interrupt();
        reload_on_hangup();
        pollfd woken;
        woken.fd = interrupt_descriptor();
        woken.events = POLLIN;
        raise(SIGHUP);  // while inputs are opened: no reason to stop that
        bool good = poll(&woken, 1, 0) == 0 && reload_wanted() && !reload_wanted();
        raise(SIGHUP);
        raise(SIGHUP);
        good = good && poll(&woken, 1, 0) == 1;
        drain_interrupt_pipe();
        good = good && poll(&woken, 1, 0) == 0;
        good = good && reload_wanted() && !reload_wanted() && !interrupted();
        _exit(good ? 7 : 1);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace rocetop::cli
