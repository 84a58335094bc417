"""Phones in headless Chromium: pads, evenings, keyboard, accessibility, lost signal. `screens.py` lists the pages."""
