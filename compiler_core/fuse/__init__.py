"""Which operations become one kernel: legality, cost, groups, and every refusal with its reason."""
