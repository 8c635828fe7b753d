// SPDX-License-Identifier: BSD-3-Clause
// The directions of connections, one after the other: the one way to walk them for whoever does not ask which is which.
#pragma once

#include <type_traits>

#include "track/counts.h"

namespace rocetop::track {

/// Calls `function` for each direction of `connection` that was seen. Of a changeable connection, with one to change.
template <typename Connection, typename Function>
void each_direction_of(Connection& connection, Function&& function) {
  if (connection.a_to_b) function(*connection.a_to_b);
  if (connection.b_to_a) function(*connection.b_to_a);
}

/// The same for all `connections`; a `function` of two is given the connection as well, first.
template <typename Connections, typename Function>
void each_direction(Connections& connections, Function&& function) {
  for (auto& connection : connections) {
    each_direction_of(connection, [&](auto& direction) {
      if constexpr (std::is_invocable_v<Function&, decltype(connection), decltype(direction)>) {
        function(connection, direction);
      } else {
        function(direction);
      }
    });
  }
}

}  // namespace rocetop::track
