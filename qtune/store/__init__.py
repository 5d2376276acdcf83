"""The SQLite history: schema, migrations, one writer, readers."""
