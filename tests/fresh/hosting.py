"""Run the commands of docs/hosting.md on a bare Debian.

Packages and wheels are downloaded first. The rest runs without a network, so that servers can use their usual ports.
sudo, git, certbot and systemctl are replaced by stubs: there are no passwords and certificates, and systemd does not
run in a chroot.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from .machine import ROOT, Machine

BLOCK = re.compile(r"^```sh( caddy| sqlite| path)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INSTALL = re.compile(r"^sudo apt install (.+)$", re.MULTILINE)
STOOD_FOR = {"git", "certbot"}

SUDO = """#!/bin/sh
if [ "$1" = -u ]; then user=$2; shift 2; exec runuser -u "$user" -- "$@"; fi
exec "$@"
"""
APT = """#!/bin/sh
[ "$1" = update ] && exit
shift
for package; do case $package in git | certbot) ;; *) dpkg --status "$package" >/dev/null ;; esac || exit; done
"""
GIT = """#!/bin/sh
case $1 in
  clone) [ "$2" = REPOSITORY ] && mkdir -p "${3%/*}" && cp -r "$CHECKOUT" "$3" && chown -R root: "$3" ;;
  pull) test -f Makefile ;;
esac
"""
CERTBOT = """#!/bin/sh
test "$2 $3" = "--webroot --webroot-path" && test -d "$4" && test "$5" = --domain
folder=/etc/letsencrypt/live/$6
mkdir -p "$folder"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$folder/privkey.pem" -out "$folder/fullchain.pem" -days 2 \\
  -subj "/CN=$6" -addext "subjectAltName=DNS:$6" 2>/dev/null
"""
LOOPBACK = """import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS, IFF_UP | IFF_RUNNING
"""
CLUSTER = "$(pg_lsclusters --no-header | cut --delimiter=' ' --fields=1,2)"
# Services that Debian's packages start on installation.
BEFORE = f"""
export HOME=/root PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheels PIP_CONFIG_FILE=/dev/null
python3 -c {shlex.quote(LOOPBACK)}
pg_ctlcluster {CLUSTER} start
redis-server --daemonize yes >/dev/null
cd /root
set -x
"""
READY = "curl --silent --fail --retry 30 --retry-delay 1 --retry-connrefused http://127.0.0.1:8765/ready\n"
# Before the steps from SQLite to PostgreSQL: a site on SQLite.
ON_SQLITE = f"""
systemctl stop scorekeeper.service
sed --in-place /^DATABASE_URL/d /etc/scorekeeper.env
sudo -u postgres dropdb scorekeeper
sudo -u postgres createdb --owner scorekeeper scorekeeper
systemctl start scorekeeper.service
{READY}"""
# The expected responses to a visitor: redirect, title of the page, version of HTTP.
VISIT = """
nginx
ask="curl --silent --show-error --resolve scores.example.org:80:127.0.0.1 --resolve scores.example.org:443:127.0.0.1"
$ask --write-out '%{redirect_url}\\n' http://scores.example.org/rules | tail -n 1
trusted=/etc/letsencrypt/live/scores.example.org/fullchain.pem
$ask --fail --cacert $trusted --write-out '\\nHTTP/%{http_version}\\n' https://scores.example.org/ >/tmp/page
grep -E '<title>|^HTTP' /tmp/page
nginx -s stop
"""
VISIT_BELOW = READY + VISIT.replace("://scores.example.org/", "://scores.example.org/scores/")
AFTER = """
curl --silent --fail --retry 30 --retry-delay 1 --retry-connrefused http://127.0.0.1:8766/ready
sudo deploy/admin verify
systemctl stop scorekeeper.service scorekeeper-2.service
"""


def follow(machine: Machine) -> str:
    """Run all commands; return their output. Raises CommandError at the first that fails."""
    guide = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    download(machine, guide)
    systemctl = Path(__file__).with_name("systemctl.py").read_text(encoding="utf-8")
    programs = {"sudo": SUDO, "apt": APT, "git": GIT, "certbot": CERTBOT, "systemctl": systemctl}
    for name, text in programs.items():
        machine.write(f"/usr/local/bin/{name}", text)
    checkout = f"export CHECKOUT={shlex.quote(machine.checkout)}"
    return machine.root_offline("\n".join([checkout, BEFORE, *blocks(guide), AFTER]))


def blocks(guide: str) -> list[str]:
    """Return the guide's commands, and visits after the proxy is set up."""
    found = []
    for kind, block in BLOCK.findall(guide):
        if kind == " sqlite":
            found.append(ON_SQLITE)
        visit = VISIT_BELOW if kind == " path" else VISIT
        found += [block, visit] if "nginx -t" in block else [block]
    assert len(found) > 10
    return found


def download(machine: Machine, guide: str) -> None:
    """Install the packages of the commands that are run, without starting services."""
    commands = "".join(blocks(guide))
    packages = {name for line in INSTALL.findall(commands) for name in line.split()} - STOOD_FOR
    machine.write("/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n")
    machine.root("apt-get update -q")
    install = f"apt-get install -qy --no-install-recommends {' '.join(sorted(packages))}"
    machine.root(install, DEBIAN_FRONTEND="noninteractive")
    wanted = "--constraint requirements.lock '.[postgresql,redis]' hatchling"
    machine.root("python3 -m venv /opt/pip")
    machine.root(f"cd {shlex.quote(machine.checkout)} && /opt/pip/bin/pip download -q --dest /wheels {wanted}")
