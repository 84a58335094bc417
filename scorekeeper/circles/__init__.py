"""Circles: links and phones, settings, erasing."""
