"""Who may see what: agents, audiences, the roster and signed claims. Pure: no I/O."""
