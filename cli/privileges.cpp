// SPDX-License-Identifier: BSD-3-Clause
#include "privileges.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace rocetop::cli {
namespace {

constexpr uid_t kNobody = 65534;

std::optional<uid_t> number(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  uid_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// The kernel's own call: libcap would be a library for two numbers.
bool keep_only_net_raw() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> have{};
  if (syscall(SYS_capget, &header, have.data()) != 0) return false;
  constexpr std::uint32_t kNetRaw = 1U << CAP_NET_RAW;
  std::array<__user_cap_data_struct, 2> keep{};
  keep[0].permitted = keep[0].effective = have[0].permitted & kNetRaw;
  return syscall(SYS_capset, &header, keep.data()) == 0;
}

/// False where there is no such user to become: in a user namespace that maps only root.
bool become(const User& user) {
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return false;
  const bool done = setgroups(0, nullptr) == 0 && setresgid(user.gid, user.gid, user.gid) == 0 &&
                    setresuid(user.uid, user.uid, user.uid) == 0;
  return prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) == 0 && done;
}

}  // namespace

Error explain_missing_right(const Error& error, std::string_view program, std::string_view arguments) {
  const std::string path(program);
  return {error.message, "Give the program the right to capture, once: sudo setcap cap_net_raw+ep " + path +
                             "; or run it with sudo: sudo " + path + " " + std::string(arguments)};
}

std::string program_path() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "rocetop";
}

User user_behind_sudo(const char* sudo_uid, const char* sudo_gid) {
  const auto uid = number(sudo_uid);
  const auto gid = number(sudo_gid);
  return uid && gid && *uid != 0 ? User{*uid, *gid} : User{kNobody, kNobody};
}

Result<Done> give_up_rights(bool keep_root) {
  if (geteuid() == 0) {
    const User user = user_behind_sudo(std::getenv("SUDO_UID"), std::getenv("SUDO_GID"));
    const bool stay = keep_root && user.uid == kNobody;
    // Where it fails, what matters is done below all the same.
    if (!stay) static_cast<void>(become(user));
  }
  if (!keep_only_net_raw()) {
    return Error{std::string("the rights of root cannot be given up: ") + std::strerror(errno), ""};
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return Error{std::string("new rights cannot be ruled out: ") + std::strerror(errno), ""};
  }
  return Done{};
}

}  // namespace rocetop::cli
