"""The operating system's limit of open files, and so of connections."""

from __future__ import annotations

from ..errors import StartupError

MAX_OPEN_FILES = 65_536
RESERVED_FILES = 200  # of a worker, besides its connections: database, temporary files, logs


def limit_connections(wanted: int) -> int:
    """Return how many connections a worker can have open at once, at most `wanted`.

    Raises:
        StartupError: the system lets it open too few files.
    """
    limit = raise_file_limit()
    if limit <= RESERVED_FILES:
        raise StartupError("few-files", found=limit, least=RESERVED_FILES + 1)
    return min(wanted, limit - RESERVED_FILES)


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
