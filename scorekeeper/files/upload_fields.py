"""Fields for the files that a form uploads. The app's forms read text fields only, so these ask the request."""

from __future__ import annotations

from typing import Any

from flask import request
from flask_wtf.file import FileField, MultipleFileField


class UploadField(FileField):
    """One file; None without one."""

    def process(self, formdata: Any, *args: Any, **kwargs: Any) -> None:
        super().process(request.files if formdata is not None else None, *args, **kwargs)


class UploadsField(MultipleFileField):
    """Any number of files."""

    def process(self, formdata: Any, *args: Any, **kwargs: Any) -> None:
        super().process(request.files if formdata is not None else None, *args, **kwargs)
