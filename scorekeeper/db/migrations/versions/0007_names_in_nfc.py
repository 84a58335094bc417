"""names in NFC

"José" typed on two keyboards can be two sequences of characters, and was two players. Names are now compared in
Unicode's form NFC; those that were stored otherwise are brought into it, except where another player of the circle has
that name already: these two stay for the host to merge.
"""

from unicodedata import normalize

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

MAX_LENGTH = 80  # of the column; a few characters are longer in NFC

_COLUMNS = (sa.column("id", sa.Integer), sa.column("circle_id", sa.Integer), sa.column("name", sa.String))
player = sa.table("player", *_COLUMNS)


def upgrade() -> None:
    connection = op.get_bind()
    players = connection.execute(sa.select(player.c.id, player.c.circle_id, player.c.name).order_by(player.c.id)).all()
    taken = {(circle, name) for _, circle, name in players}
    for id_, circle, name in players:
        normal = normalize("NFC", name)
        if normal != name and (circle, normal) not in taken and len(normal) <= MAX_LENGTH:
            connection.execute(sa.update(player).where(player.c.id == id_).values(name=normal))
            taken.add((circle, normal))


def downgrade() -> None:
    """Nothing: the names as they were are not known any more, and look the same."""
