"""The asset graph, one file a stage. Each asset reads, calls a stage, writes and reports."""
