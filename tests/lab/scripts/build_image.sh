#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the guest image: build/vmlinuz (Debian's kernel with rdma_rxe) and build/initrd.cpio (the whole root file
# system, with vtool and guest/init).
# A newer kernel: DEBSUITE=trixie BUILD=build-trixie ./build_image.sh, then LABBUILD=build-trixie ./lab.py ...
# Needs: root, apt access to a Debian mirror, mmdebstrap, cpio, kmod, gcc, libibverbs-dev.
# shellcheck disable=SC2206  # suites, versions and folders below this one have no blanks in their names
set -euo pipefail
cd "$(dirname "$0")"
SUITE=${SUITE:-bookworm}
APT=()
if [ -n "${DEBSUITE:-}" ]; then  # the kernel package from another Debian suite, of the mirror this system uses
    mkdir -p $PWD/apt/lists/partial
    mirror=$(apt-cache policy | sed -n 's/^ *[0-9]* \(http[^ ]*\) .*main.*/\1/p' | grep -v security | head -1)
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $DEBSUITE main" > apt/sources.list
    APT=(-o Dir::Etc::sourcelist=$PWD/apt/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/apt/lists)
    nice apt-get "${APT[@]}" update
fi
KVER=${KVER:-$(apt-cache "${APT[@]}" depends linux-image-amd64 | sed -n 's/.*Depends: linux-image-//p' | head -1)}
B=${BUILD:-build}; mkdir -p $B

# 1. User space: packages extracted, not configured (nothing runs in a chroot).
if [ ! -d $B/root ]; then
    nice mmdebstrap --variant=extract --mode=root --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
        --include=bash,coreutils,util-linux,mount,grep,sed,mawk,kmod,procps,iproute2,iputils-ping,tcpdump,ethtool \
        --include=rdma-core,ibverbs-providers,ibverbs-utils,rdmacm-utils,perftest,nftables,libc-bin \
        $SUITE $B/root.tmp
    mv $B/root.tmp $B/root
fi

# 2. Kernel: only the modules the lab uses (and what they depend on).
if [ ! -e $B/vmlinuz ]; then
    rm -rf $B/kdeb; mkdir -p $B/kdeb
    compgen -G "$B/linux-image-${KVER}_*.deb" >/dev/null ||
        (cd $B && nice apt-get "${APT[@]}" download linux-image-$KVER)
    dpkg-deb -x $B/linux-image-${KVER}_*.deb $B/kdeb
    [ -e $B/kdeb/lib ] || ln -s usr/lib $B/kdeb/lib
    rm -rf $B/root/lib/modules; mkdir -p $B/root/lib/modules/$KVER
    cp $B/kdeb/lib/modules/$KVER/modules.{order,builtin,builtin.modinfo} $B/root/lib/modules/$KVER/
    depmod -b $B/kdeb $KVER
    for m in virtio_pci virtio_net virtio_console virtio_rng 9pnet_virtio 9p rdma_rxe crc32_generic ib_uverbs \
             rdma_ucm ib_umad 8021q veth sch_netem sch_red sch_prio sch_ingress act_gact act_mirred cls_u32 \
             nf_tables nft_numgen nft_ct af_packet ipv6; do
        modprobe -d $B/kdeb -S $KVER --show-depends $m 2>/dev/null | awk '/^insmod/{print $2}' ||
            echo "no module: $m" >&2
    done | sort -u | while read -r f; do
        rel=${f#*$B/kdeb}
        install -D -m644 "$B/kdeb/$rel" "$B/root/$rel"
    done
    depmod -b $B/root $KVER
    cp $B/kdeb/boot/vmlinuz-$KVER $B/vmlinuz
    echo $KVER > $B/kver
fi

# 3. Own tool and init; then pack.
gcc -O2 -Wall -Wextra -Wno-missing-field-initializers -o $B/vtool vtool.c -libverbs
install -m755 $B/vtool $B/root/usr/bin/vtool
install -m755 guest/init $B/root/init
rm -rf $B/root/var/lib/apt $B/root/var/cache/apt $B/root/var/lib/dpkg/info \
    $B/root/usr/share/{zoneinfo,perl,bash-completion,common-licenses}
mkdir -p $B/root/{proc,sys,dev,tmp,run,share}
echo root:x:0:0:root:/root:/bin/bash > $B/root/etc/passwd
echo root:x:0: > $B/root/etc/group
ldconfig -r $B/root
(cd $B/root && find . | cpio -o -H newc --quiet) > $B/initrd.cpio
du -sh $B/initrd.cpio
