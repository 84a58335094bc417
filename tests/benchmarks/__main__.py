"""Run the benchmarks and print Markdown tables: `python -m tests.benchmarks [--quick] [part …]`; see `PARTS`.

Contestants take turns, in rounds. Printed are the median, the minimum and the maximum over the rounds. The exit status
is 1 if a limit is exceeded. The quick form is small and has no limits.
"""

from __future__ import annotations

import sys

from . import entry, growth, light, scoring, slow, web

PARTS = {"web": web, "scoring": scoring, "slow": slow, "entry": entry, "growth": growth, "light": light}

if __name__ == "__main__":
    quick = "--quick" in sys.argv
    parts = [part for name, part in PARTS.items() if name in sys.argv] or list(PARTS.values())
    met = [part.main(quick) for part in parts]
    sys.exit(0 if quick or all(met) else 1)
