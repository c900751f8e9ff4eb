"""Side by side with another tool: its environment, its configuration, the bare loop both are held against."""
