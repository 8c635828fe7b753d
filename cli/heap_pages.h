// SPDX-License-Identifier: BSD-3-Clause
// HeapPages: the process's heap on huge pages, where the kernel has some to give. Packets of thousands of queue pairs
// touch memory all over, and with pages of 4 KiB the processor looks up more pages than it can remember (a fifth of the
// time of a triage of 1,024 queue pairs). It is the program's choice, not the library's, and changes nothing else.
#pragma once

namespace rocetop::cli {

class HeapPages {
 public:
  /// Lets the heap grow in large steps from now on. Does nothing where the C library is not glibc.
  HeapPages();

  /// Asks for huge pages for what the heap has grown by since the last call. Costs next to nothing when it has not.
  void look();

 private:
  char* end_ = nullptr;  // of the heap, as of the last look
};

}  // namespace rocetop::cli
