"""What each asset does, as functions from records to records; no dagster here."""
