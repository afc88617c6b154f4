#!/usr/bin/env bash
# A container image of the suite, made from Debian packages: debootstrap makes its files, buildah the image.
#
#   ci/container.sh dist/toolcall_conformance-0.3.0-py3-none-any.whl build/container
#
# The folder gets image.tar (an OCI archive), digest.txt, and what is in it: packages.txt (Debian's, with versions) and
# python.txt (pip's). It wants root, debootstrap, buildah, and Python 3.11 as Debian 12 has it, for pip to choose wheels.
#
#   CONTAINER_MIRROR   where Debian's packages come from (usual: http://deb.debian.org/debian)
set -euo pipefail

wheel=$(readlink -f "${1:?which wheel?}")
mkdir -p "${2:?into which folder?}"
out=$(readlink -f "$2")
mirror=${CONTAINER_MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d)
root=$work/root
store=(--storage-driver vfs --root "$work/store" --runroot "$work/run")
trap 'rm -rf "$work"' EXIT

debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$root" "$mirror"

# pip runs outside for what comes from the network, and inside without one.
python3 -m pip download --quiet --only-binary :all: --python-version 3.11 --dest "$root/wheels" "$wheel"
inside() { env -i PATH=/opt/conformance/bin:/usr/bin:/bin:/usr/sbin:/sbin chroot "$root" "$@"; }
inside python3 -m venv /opt/conformance
inside pip install --quiet --no-index --find-links /wheels toolcall-conformance
inside pip list --format freeze >"$out/python.txt"
inside dpkg-query --show --showformat '${Package} ${Version}\n' >"$out/packages.txt"
rm -rf "$root/wheels" "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

made=$(buildah "${store[@]}" from scratch)
buildah "${store[@]}" add --quiet "$made" "$root" / >/dev/null
buildah "${store[@]}" config --env PATH=/opt/conformance/bin:/usr/bin:/bin --workingdir /work \
  --entrypoint '["conformance"]' --cmd '["--help"]' "$made"
image=$(buildah "${store[@]}" commit --quiet "$made")
rm -f "$out/image.tar"
buildah "${store[@]}" push --quiet --digestfile "$out/digest.txt" "$image" "oci-archive:$out/image.tar"
echo >>"$out/digest.txt"
