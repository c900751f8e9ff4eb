"""How a page is made: templates, numbers, tables, escaping, and where each figure comes from."""
