"""From rows to what can be said of them: systems, tasks, ratios, tiers, frontiers. Pure functions."""
