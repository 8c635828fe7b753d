// SPDX-License-Identifier: BSD-3-Clause
// UiState: what a person has chosen to see, and what a key makes of it. Nothing here draws, and nothing here knows a
// terminal: press() is a function of the state, of what is on the screen, and of the key.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/nanos.h"

namespace rocetop::present {

enum class Tab : std::uint8_t {
  kConnections,
  kHostPairs,
  kFindings,
  kCongestion,
  kManagement,
  kAdapters,
  kCapture,
};
inline constexpr std::size_t kTabs = 7;

enum class Theme : std::uint8_t { kDark, kLight, kPlain };
inline constexpr std::size_t kThemes = 3;
enum class Units : std::uint8_t { kBits, kBytes };

struct Key {
  enum class Code : std::uint8_t {
    kCharacter,
    kUp,
    kDown,
    kLeft,
    kRight,
    kPageUp,
    kPageDown,
    kHome,
    kEnd,
    kEnter,
    kEscape,
    kTab,
    kBackTab,
    kBackspace,
    kClick,  ///< at x, y
    kWheelUp,
    kWheelDown,
  };
  Code code = Code::kCharacter;
  char32_t character = 0;
  std::size_t x = 0;
  std::size_t y = 0;
};

/// A list on a screen: where the cursor is, and what it is sorted by.
struct ListState {
  std::size_t row = 0;
  std::optional<std::uint64_t> key;  ///< of the row the cursor stays on; none: it stays where it is
  std::size_t top = 0;               ///< first row shown
  std::size_t sort = 0;              ///< column
  bool reversed = false;
  std::size_t skipped_columns = 0;  ///< scrolled out to the left
};

/// What is open above the tab.
enum class Overlay : std::uint8_t { kNone, kConnection, kFinding, kHelp, kColumns };
/// What Esc comes back to.
struct Opened {
  Overlay overlay = Overlay::kNone;
  ListState list;
};
/// What the next key answers.
enum class Asking : std::uint8_t { kNothing, kFilter, kReset };

struct UiState {
  Tab tab = Tab::kConnections;
  std::array<ListState, kTabs> lists;
  Overlay overlay = Overlay::kNone;
  ListState overlay_list;        ///< of what is open: where it is scrolled to
  std::vector<Opened> below;     ///< opened before, and still there under it
  std::uint32_t connection = 0;  ///< that is open
  std::uint64_t finding = 0;     ///< that is open: finding_id()
  Asking asking = Asking::kNothing;
  std::string filter;
  std::uint32_t hidden_columns = 0;  ///< of the connections table, a bit a column
  bool paused = false;
  bool names = false;
  bool bell = false;
  Units units = Units::kBits;
  Theme theme = Theme::kDark;
  Nanos interval = seconds(1);
  std::string message;          ///< until the next key
  std::uint64_t news_seen = 0;  ///< OnScreen::news when a key was pressed last

  ListState& list() { return overlay == Overlay::kNone ? lists[static_cast<std::size_t>(tab)] : overlay_list; }
  const ListState& list() const {
    return overlay == Overlay::kNone ? lists[static_cast<std::size_t>(tab)] : overlay_list;
  }
};

/// A place on the screen that a mouse may click.
struct HotSpot {
  enum class Kind : std::uint8_t { kTab, kColumn, kRow, kKey };
  Kind kind = Kind::kRow;
  std::size_t x = 0;
  std::size_t y = 0;
  std::size_t width = 0;
  std::size_t value = 0;  ///< tab, column, row, or the character of the key
};

/// What is on the screen, as far as keys have to know.
struct OnScreen {
  std::vector<std::uint64_t> keys;          ///< of the rows, shown or not
  std::size_t rows = 0;                     ///< … how many
  std::size_t page = 1;                     ///< rows shown at a time
  std::size_t top = 0;                      ///< first one shown
  std::size_t row = 0;                      ///< with the cursor
  std::size_t columns = 0;                  ///< that can be sorted by
  std::size_t most_skipped = 0;             ///< columns that can be scrolled out
  bool scrolls = false;                     ///< text without a cursor
  std::uint64_t news = 0;                   ///< snapshot that brought the news being told; 0: none are
  std::optional<std::uint32_t> connection;  ///< that Enter opens
  std::optional<std::uint64_t> finding;     ///< … or this, rather
  std::vector<HotSpot> spots;
};

enum class Command : std::uint8_t {
  kNone,
  kQuit,
  kReset,     ///< counters begin again
  kRecord,    ///< begins to write packets, or ends it
  kInterval,  ///< UiState::interval changed
  kRedraw,
};

struct Step {
  UiState state;
  Command command = Command::kNone;
};

Step press(const Key& key, const OnScreen& screen, UiState state);

/// The row that the cursor is on, with these rows.
std::size_t row_of(const ListState& list, const std::vector<std::uint64_t>& keys, std::size_t rows);
/// The first row shown, so that the cursor is on the page.
std::size_t top_of(std::size_t top, std::size_t row, std::size_t rows, std::size_t page);

}  // namespace rocetop::present
