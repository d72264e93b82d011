"""Everything derived, made again from the memory log alone and compared with what is on record.

`from_log` is the whole of it; `projections`, `signatures`, `published` and `cached` each compare
one kind of thing. The stages of the pipeline do the work again; dagster takes no part.
"""
