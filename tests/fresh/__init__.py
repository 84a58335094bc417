"""Both commands and the guide for hosts on bare Debian machines.

    sudo python3 -m tests.fresh              # Debian bookworm and trixie
    sudo python3 -m tests.fresh trixie

This makes a bare Debian with debootstrap, with the packages that the README names and no others. On it, `make run` is
tried without the venv package, interrupted, without a network, and in a folder that was moved; `make test` runs, as far
as the machine matters; and docs/hosting.md is followed command by command, with containers too.
"""
