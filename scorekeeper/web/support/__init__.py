"""Shared by views: access, forms, language, errors, limits, security headers, live updates, images."""
