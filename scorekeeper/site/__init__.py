"""What pages share: forms, language, amounts, errors, limits, live updates."""
