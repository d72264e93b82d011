"""Models, run by vLLM in process. Importing this package loads none of them."""
