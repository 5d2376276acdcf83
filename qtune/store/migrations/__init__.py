"""Revisions of the history's schema; alembic runs these files, so a bundle ships them as files."""
