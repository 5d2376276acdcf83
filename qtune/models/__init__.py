"""GGUF files on disk: header facts, discovery, the sample model."""
