"""Disks that tests can fill up or make fail. Mounting requires root."""

import os
import subprocess
from pathlib import Path

from tests.support.crawler import wait_until

KILOBYTE = 1024


class SmallDisk:
    """A tmpfs that can be filled and enlarged."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)

    def enlarge(self, size: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.folder)], check=True)

    def leave(self, free: int) -> None:
        """Leave only `free` bytes."""
        found = os.statvfs(self.folder)
        self.enlarge((found.f_blocks - found.f_bfree) * found.f_frsize + free)

    def fill(self) -> None:
        """Leave no byte free."""
        with self._ballast.open("wb", buffering=0) as file:
            block = 64 * KILOBYTE
            while block >= 512:
                try:
                    written = file.write(bytes(block))
                except OSError:
                    written = 0
                if written < block:
                    block //= 2

    def clear(self) -> None:
        self._ballast.unlink()

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.folder)], check=True)


class FailingDisk:
    """An ext4 in a file that the kernel can be made to treat as broken: from then on it accepts no writes,
    even to files that are open. A plain remount cannot do that while files are open."""

    def __init__(self, folder: Path, image: Path, size: int) -> None:
        self.folder = folder
        self._image = image
        with image.open("wb") as file:
            file.truncate(size)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True)
        self.mount()

    def mount(self) -> None:
        options = "loop,errors=remount-ro"
        subprocess.run(["mount", "-o", options, str(self._image), str(self.folder)], check=True)

    def fail(self) -> None:
        subprocess.run(["mount", "-o", "remount,abort", str(self.folder)], check=True)

    def repair(self) -> None:
        """Repair it like an administrator does, once it is no longer in use."""
        subprocess.run(["umount", str(self.folder)], check=True)
        # The kernel lets go of the image a little later. A mount before that would see it as it was.
        wait_until(lambda: not self._is_attached(), "the image is free")
        # It corrects what an abort leaves behind, and then exits with 1.
        assert subprocess.run(["e2fsck", "-p", str(self._image)], capture_output=True).returncode <= 1
        self.mount()

    def _is_attached(self) -> bool:
        return bool(
            subprocess.run(["losetup", "-j", str(self._image)], capture_output=True, check=True).stdout
        )

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.folder)], check=True)
