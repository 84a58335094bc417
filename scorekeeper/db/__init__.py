"""The database: settings, transactions, snapshots, locks, backups and migrations. No use case is written here."""
