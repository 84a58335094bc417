"""What the app costs, and what a machine carries: docs/performance.md has the commands and what they printed."""
