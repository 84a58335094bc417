"""The people of a circle: names, merging, erasing, who is here tonight, and their tables."""
