"""A disk that runs full when a test wants it to. Mounting takes root."""

import os
import subprocess
from pathlib import Path

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
        """No more than so many bytes."""
        found = os.statvfs(self.folder)
        self.enlarge((found.f_blocks - found.f_bfree) * found.f_frsize + free)

    def fill(self) -> None:
        """Leave not a byte."""
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
