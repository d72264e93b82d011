"""What shows and measures the system: the demo, calibrations, benchmarks."""
