"""HTTP to an OpenAI-compatible server: streamed requests with clock stamps, and llama.cpp's own endpoints."""
