// SPDX-License-Identifier: BSD-3-Clause
// The right to capture: what to do where it is missing, and giving up everything else once it was used. Nothing here
// asks in advance whether capturing is allowed: it is tried.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rocetop::cli {

/// `error` of an interface that may not be captured, with the two commands that help. `program`: the path of this
/// program; `arguments`: what was typed behind it.
Error explain_missing_right(const Error& error, std::string_view program, std::string_view arguments);

/// The path of this program, for commands that are shown.
std::string program_path();

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
};

/// Whom to become: whoever called sudo, as it says (SUDO_UID, SUDO_GID), else nobody.
User user_behind_sudo(const char* sudo_uid, const char* sudo_gid);

/// Gives up all rights but CAP_NET_RAW, and root for another user. That one right is kept so that an interface that
/// vanished can be opened again. Call it before there are other threads. Who is not root and has no more than that
/// right has nothing to give up. `keep_root`: stays user 0, without its rights, so that files can be written into
/// root's own folders. Error: the rights could not be given up.
Result<Done> give_up_rights(bool keep_root);

}  // namespace rocetop::cli
