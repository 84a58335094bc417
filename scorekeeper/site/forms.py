"""The forms that the app's forms are built on: with problems, typed words, idempotency keys, what a page showed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flask import abort, request
from flask_wtf import FlaskForm
from flask_wtf.csrf import generate_csrf
from markupsafe import Markup
from werkzeug.datastructures import MultiDict
from wtforms import Field, HiddenField, StringField
from wtforms.validators import ValidationError

from ..limits import MAX_KEY_LENGTH
from ..models import Circle, new_token
from ..scoring.problems import Problem
from ..scoring.values import clean_name, make_name_key

MEANING = "is:"  # how the fields begin that say whom a name means
VALUE_PLACES = 6  # decimal places of what a counter is worth


def hidden_fields(**fields: object) -> Markup:
    """Return the hidden inputs of a form without a class: the CSRF token, and these fields."""
    line = Markup('<input type="hidden" name="{}" value="{}">')
    named = {"csrf_token": generate_csrf()} | {name: "" if value is None else value for name, value in fields.items()}
    return Markup("").join(line.format(name, value) for name, value in named.items())


def require_epoch(circle: Circle) -> None:
    """Answer 409 to a form from before a restore: numbers may be those of other rows now."""
    if WriteForm().seen.data != circle.epoch:
        abort(409)


class Form(FlaskForm):
    class Meta(FlaskForm.Meta):
        def wrap_formdata(self, form: FlaskForm, formdata: Any) -> Any:
            """Read text fields only. Flask-WTF would also accept an uploaded file, or JSON, as a field's text."""
            if formdata is None or not form.is_submitted():
                return None
            if None in request.form:  # a field without a name, which WTForms cannot read
                abort(400)
            return request.form or None

    def hidden_tag(self, *names: str) -> Markup:
        """Render the hidden fields, or those named. They have no ids, since a page may have several forms."""
        fields = [self[name] for name in names] or [field for field in self if isinstance(field, HiddenField)]
        return Markup("").join(field(id=False) for field in fields)

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Show each problem beside the field that it names; others above the form, as `form_errors`."""
        for problem in problems:
            field = self.find_field(problem.field)
            if field is not None:
                field.errors = [*field.errors, problem]
            else:
                self.form_errors.append(problem)

    def find_field(self, name: str) -> Field | None:
        """Return the field that a problem names so; None if it is about the whole form."""
        return self._fields.get(name)

    def require_valid(self) -> None:
        """Answer 400 to a form of hidden fields and buttons that is not as its page has sent it."""
        if not self.validate():
            abort(400)


class QueryForm(Form):
    """A form that is sent by GET: its fields are in the page's address, and need no CSRF token."""

    class Meta(Form.Meta):
        csrf = False

        def wrap_formdata(self, _form: FlaskForm, _formdata: Any) -> Any:
            return request.args

    @property
    def query(self) -> dict[str, Any]:
        """What was entered, for links to other pages with it."""
        return {field.name: value for field in self if (value := "".join(field.raw_data or ()).strip())}


class ConfirmForm(Form):
    """Whether something is to be erased: its `words` must be typed; case and Unicode composition may differ."""

    typed = StringField(filters=[clean_name])

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words

    def validate_typed(self, field: StringField) -> None:
        if make_name_key(field.data or "") != make_name_key(clean_name(self.words)):
            raise ValidationError(Problem("typed", "not-the-words", {"must": self.words}))


class SentField(Field):
    """All fields that were sent whose names begin with the prefix, by the rest of the name.

    Those left empty are not among them, unless `keeps_empty`.
    """

    def __init__(self, prefix: str = "", *, keeps_empty: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.prefix = prefix
        self.keeps_empty = keeps_empty

    def process(self, formdata: MultiDict[str, str] | None, data: Any = None, extra_filters: Any = None) -> None:
        super().process(None, data, extra_filters)
        sent = [(name, value) for name, value in (formdata or {}).items() if value or self.keeps_empty]
        self.data = {name[len(self.prefix) :]: value for name, value in sent if name.startswith(self.prefix)}


class WriteForm(Form):
    """The hidden fields of a write that may arrive twice or too late: an idempotency key, and what its page showed."""

    seen = HiddenField(default="")
    key = HiddenField(default=new_token)

    @property
    def hidden(self) -> dict[str, str | None]:
        """The hidden fields for a form that is only a button."""
        return {"seen": self.seen.data, "key": self.key.data}

    def read_key(self) -> str:
        key: str = (self.key.raw_data or [""])[0]  # what was sent, not the default
        return key if 0 < len(key) <= MAX_KEY_LENGTH and key.isprintable() else abort(400)
