import sys
from pathlib import Path

# The small generation is shared with the tests of retrieval.
sys.path.insert(0, str(Path(__file__).parents[1] / "retrieval"))
