"""How a cell is timed: harness, stopping rule, intervals, and what disturbed it."""
