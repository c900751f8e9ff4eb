"""Running cells: the plan, a parent that sleeps, a child that measures, and the messages between them."""
