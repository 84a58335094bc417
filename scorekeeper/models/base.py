"""The base class of all models, and the database session. Models are imported from models/__init__.py."""

from __future__ import annotations

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.orm import DeclarativeBase


class Base(DeclarativeBase):
    """The declarative base of all models."""


db = SQLAlchemy(model_class=Base)
