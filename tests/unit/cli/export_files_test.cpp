// SPDX-License-Identifier: BSD-3-Clause
// The files that `rocetop export` reads again: that they changed, and options in them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "export_config.h"
#include "file_folder.h"
#include "file_watch.h"

namespace rocetop::cli {
namespace {

using Texts = std::vector<std::string>;

const std::vector<ConfigOption> kNames = {
    {"config"}, {"max-pairs"}, {"web.listen-address"}, {"pair-histograms"}, {"interface", false, true}, {"snaplen"}};

TEST(ExportConfig, HoldsOptionsByTheirLongNames) {
  const test::Folder folder;
  const std::string path = folder.write("rocetop.toml",
                                        "# a comment\n"
                                        "max-pairs = 200\n"
                                        "pair-histograms = true\n"
                                        "interface = [\"eth0\", \"eth1\"]\n"
                                        "[web]\n"
                                        "listen-address = \":0\"\n");
  auto words = words_of_config(path, kNames);
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_EQ(words.value(), (Texts{"--max-pairs=200", "--pair-histograms=true", "--interface=eth0", "--interface=eth1",
                                  "--web.listen-address=:0"}));
}

TEST(ExportConfig, TheCommandLineWins) {
  const test::Folder folder;
  const std::string path = folder.write("rocetop.toml", "max-pairs = 200\ninterface = \"eth0\"\nsnaplen = 96\n");
  const std::vector<ConfigOption> given = {{"max-pairs", true}, {"interface", true, true}, {"snaplen"}};
  EXPECT_EQ(words_of_config(path, given).value(), Texts{"--snaplen=96"});
}

TEST(ExportConfig, WhatIsNoOptionIsNamed) {
  const test::Folder folder;
  const std::string path = folder.write("rocetop.toml", "max-pears = 200\n");
  const auto words = words_of_config(path, kNames);
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().message, path + ": max-pears is no option that can be set in a file");
  EXPECT_FALSE(words_of_config(folder.write("b", "config = \"c\"\n"), kNames));
  EXPECT_FALSE(words_of_config(folder.path("nosuch"), kNames));
}

/// An unquoted value with a space in it is two, to TOML's readers.
TEST(ExportConfig, OneValueForWhatTakesOne) {
  const test::Folder folder;
  const std::string path = folder.write("rocetop.toml", "snaplen = 96 128\n");
  const auto words = words_of_config(path, kNames);
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().message, path + ": snaplen takes one value, and has several");
  EXPECT_NE(words.error().hint.find("quotes: snaplen = "), std::string::npos);
  EXPECT_FALSE(words_of_config(folder.write("b", "snaplen = 96\nsnaplen = 128\n"), kNames));
  EXPECT_TRUE(words_of_config(folder.write("c", "interface = [\"a\", \"b\"]\n"), kNames));
}

TEST(ExportConfig, IsNoPipe) {
  const test::Folder folder;
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  const auto words = words_of_config(folder.path("pipe"), kNames);  // nobody writes to it
  ASSERT_FALSE(words);
  EXPECT_NE(words.error().message.find("is no file"), std::string::npos);
}

TEST(ExportConfig, WithoutAFileThereIsNothing) { EXPECT_EQ(words_of_config("", kNames).value(), Texts{}); }

TEST(FileWatch, TellsOnceThatAFileIsAnother) {
  const test::Folder folder;
  const std::string path = folder.write("a", "1");
  FileWatch watch;
  watch.watch({path, folder.path("later")});
  EXPECT_FALSE(watch.changed());
  folder.write("a", "22");
  EXPECT_FALSE(watch.changed());  // it may still be written to
  EXPECT_TRUE(watch.changed());
  EXPECT_FALSE(watch.changed());
  folder.write("later", "x");
  EXPECT_FALSE(watch.changed());
  folder.write("a", "333");
  EXPECT_FALSE(watch.changed());
  EXPECT_TRUE(watch.changed());
  std::filesystem::remove(path);
  EXPECT_FALSE(watch.changed());
  EXPECT_TRUE(watch.changed());
}

TEST(FileWatch, SeesALinkThatPointsElsewhere) {
  const test::Folder folder;
  folder.write("old", "same");
  folder.write("new", "same");
  std::filesystem::create_symlink("old", folder.path("link"));
  FileWatch watch;
  watch.watch({folder.path("link")});
  std::filesystem::create_symlink("new", folder.path("next"));
  std::filesystem::rename(folder.path("next"), folder.path("link"));  // as Kubernetes does
  EXPECT_FALSE(watch.changed());
  EXPECT_TRUE(watch.changed());
}

}  // namespace
}  // namespace rocetop::cli
