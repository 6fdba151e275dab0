# SPDX-License-Identifier: MIT
"""wheel_tag.py WHEEL OUT [EXTENSION]: writes the wheel into the folder OUT with the tag of the systems that it runs on.

A wheel that setuptools builds is called linux_x86_64, which no index takes.  What it needs of the C library is read out
of the extension: manylinux_2_34 runs where glibc is 2.34 or newer, musllinux_1_2 where there is musl.  EXTENSION is put
in the place of the one inside: the same, compiled for another machine.
"""

import base64
import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

MACHINES = {62: "x86_64", 183: "aarch64"}


def tag_of(binary):
    """Returns the platform of an ELF file, or None for another one."""
    head = binary.read_bytes()[:20]
    machine = MACHINES.get(int.from_bytes(head[18:20], "little")) if head[:4] == b"\x7fELF" else None
    if machine is None:
        return None
    text = subprocess.run(["readelf", "-dVW", binary], check=True, stdout=subprocess.PIPE, text=True).stdout
    if re.search(r"NEEDED.*\[libc\.(musl-.*\.so\.1|so)\]", text):
        return f"musllinux_1_2_{machine}"
    versions = [(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", text)]
    return "manylinux_{}_{}_{}".format(*max(versions), machine) if versions else None


def hashed(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main(wheel, out, extension=None):
    with zipfile.ZipFile(wheel) as archive:
        files = [(info, archive.read(info)) for info in archive.infolist()]
    inside = next(info.filename for info, _ in files if info.filename.endswith(".so"))
    binary = Path(extension) if extension else Path(out) / "extension.so"
    if not extension:
        binary.write_bytes(next(data for info, data in files if info.filename == inside))
    tag = tag_of(binary)
    name = re.sub(r"-linux_\w+\.whl$", f"-{tag}.whl" if tag else r"\g<0>", Path(wheel).name)
    record = []
    with zipfile.ZipFile(Path(out) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in files:
            if info.filename == inside:
                data = binary.read_bytes()
            elif info.filename.endswith(".dist-info/WHEEL") and tag:
                data = re.sub(rb"(Tag: \w+-\w+)-linux_\w+", rb"\1-" + tag.encode(), data)
            elif info.filename.endswith(".dist-info/RECORD"):
                record.append(f"{info.filename},,\n")
                data = "".join(record).encode()
            if not info.filename.endswith("/RECORD"):
                record.append(f"{info.filename},{hashed(data)},{len(data)}\n")
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    if not extension:
        binary.unlink()
    print(Path(out) / name)


main(*sys.argv[1:])
