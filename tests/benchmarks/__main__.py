"""`python -m tests.benchmarks [--quick] [web | scoring | slow]`: everything side by side, as tables in Markdown.

Contestants take turns, in rounds; what is told is the median over the rounds and the least and the most. The exit
status is 1 where a limit was not met; the quick form is small and has no limits.
"""

from __future__ import annotations

import sys

from . import scoring, slow, web

PARTS = {"web": web, "scoring": scoring, "slow": slow}

if __name__ == "__main__":
    quick = "--quick" in sys.argv
    asked = [part for name, part in PARTS.items() if name in sys.argv] or list(PARTS.values())
    met = [part.main(quick) for part in asked]
    sys.exit(0 if quick or all(met) else 1)
