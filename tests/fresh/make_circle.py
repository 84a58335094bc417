"""Make a circle in the database that the settings name: run with the Python of an image."""

from scorekeeper.cli.database import open_database
from scorekeeper.db.schemas import Needs
from scorekeeper.services.circles.lifecycle import create_circle

with open_database(Needs.ANY_VERSION):
    create_circle()
