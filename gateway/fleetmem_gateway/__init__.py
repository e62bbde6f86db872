"""The deployable edge: the agents' gateway and the operators' console, both HTTP."""
