"""Providers of models: what turns texts into vectors, and what distils a conversation. Each is one of the settings' words."""
