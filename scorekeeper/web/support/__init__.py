"""What views share: access, forms, language, errors, limits, security headers, live updates, images."""
