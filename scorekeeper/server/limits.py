"""The operating system's limit of open files, and so of connections."""

from __future__ import annotations

MAX_OPEN_FILES = 65_536


def raise_file_limit() -> int:
    """Raise the limit of open files as far as the system allows without special rights; return the limit."""
    import resource  # noqa: PLC0415  # not available on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):  # macOS has a lower limit of its own
            return soft
    return max(soft, wanted)
