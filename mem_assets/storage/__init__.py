"""Files: Parquet per day, the memory log, the evidence store, caches, published generations."""
