"""What becomes of what agents said: the governed memory's decisions, pure. So far the safety policy."""
