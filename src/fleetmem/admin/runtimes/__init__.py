"""The agents' real command lines, and a model on loopback that keeps what they send it: what proofs are made with."""
