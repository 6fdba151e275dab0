# SPDX-License-Identifier: MIT
"""Builds the extension: from frazil.c, the library as one file, or with FRAZIL_SYSTEM=1 against the installed library.

A source package has frazil.c and frazil.h in csrc/; in a clone of the repository they are made while building.
"""

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist
from setuptools.errors import CompileError, ExecError, LinkError

HERE = Path(__file__).parent
OWN = HERE / "csrc"
TREE = HERE.parent.parent
SYSTEM = os.environ.get("FRAZIL_SYSTEM", "") not in ("", "0")
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
SOURCES = sorted(path.name for path in OWN.glob("*.c") if path.name != "frazil.c")
NEEDS = (
    "frazil could not build its extension: it needs a C compiler, which CC may name, and the headers of Python "
    "(Debian: apt install gcc libc6-dev python3-dev).  A wheel needs neither: pip install --only-binary frazil frazil"
)


def version():
    for header in (OWN / "frazil.h", TREE / "include" / "frazil.h"):
        if header.exists():
            return re.search(r'#define FRAZIL_VERSION "(.*)"', header.read_text()).group(1)
    raise SystemExit("frazil.h is missing: build from the source package, or in a clone of the repository")


def amalgamate(folder):
    """Writes frazil.c and frazil.h into a folder."""
    if (OWN / "frazil.c").exists():
        shutil.copy(OWN / "frazil.c", folder)
        shutil.copy(OWN / "frazil.h", folder)
    else:
        subprocess.run(["sh", str(TREE / "tools" / "amalgamate"), str(Path(folder).absolute())], check=True)


def pkg_config(what):
    asked = ["pkg-config", what, "frazil", "frazil-extras"]
    return subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout.split()


class Build(build_ext):
    def build_extension(self, ext):
        if SYSTEM:
            ext.extra_compile_args += pkg_config("--cflags")
            ext.extra_link_args += pkg_config("--libs")
        else:
            folder = Path(self.build_temp) / "frazil"
            folder.mkdir(parents=True, exist_ok=True)
            amalgamate(folder)
            ext.sources.append(str(folder / "frazil.c"))
            ext.include_dirs.append(str(folder))
            # Hidden: the process may hold a second frazil of another version.
            ext.define_macros.append(("FRAZIL_API", ""))
        try:
            super().build_extension(ext)
        except (CompileError, LinkError, ExecError, OSError) as error:
            raise SystemExit(f"{error}\n{NEEDS}") from error


class Pack(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        amalgamate(Path(base_dir) / "csrc")


# -O3, as node-gyp has it, too: it makes fill() a quarter cheaper.
extension = Extension(
    "frazil._frazil",
    sources=[f"csrc/{name}" for name in SOURCES],
    # The limited API of 3.9: one binary for all later versions.  Free-threaded builds have none.
    define_macros=[] if FREE_THREADED else [("Py_LIMITED_API", "0x03090000")],
    py_limited_api=not FREE_THREADED,
    extra_compile_args=["-std=c11", "-D_GNU_SOURCE", "-O3", "-fvisibility=hidden"],
)

setup(
    version=version(),
    ext_modules=[extension],
    cmdclass={"build_ext": Build, "sdist": Pack},
    options={} if FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp39"}},
)
