"""A circle: creating and erasing it, its settings, its players."""
