"""Pages of a circle: home, tables, links, people, search, settlements, import and export."""
