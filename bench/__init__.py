"""What the fence costs on this machine: `make bench`. Ratios of things measured in turns, never a rate on its own."""
