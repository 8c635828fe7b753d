# SPDX-License-Identifier: BSD-3-Clause
# Every library comes from Debian packages; `./dev` names and installs them.
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tsl-robin-map REQUIRED)
find_package(ZLIB REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)  # no version: Debian's claims to be another
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(DEFLATE REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(PCAP REQUIRED IMPORTED_TARGET libpcap)
set(CURSES_NEED_WIDE TRUE)
find_package(Curses REQUIRED)
find_package(Threads REQUIRED)
# The exporter: HTTP server, TLS, its configuration, passwords.
find_package(Boost REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(yaml-cpp REQUIRED)
pkg_check_modules(CRYPT REQUIRED IMPORTED_TARGET libcrypt)
