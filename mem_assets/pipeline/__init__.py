"""The Dagster project: the only folder that imports dagster. `stages/` holds what its assets do,
as pure functions on records, and imports none of it."""
