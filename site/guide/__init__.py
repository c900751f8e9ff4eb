"""Turn the store into a hardware guide: evidence, recommendations, pages."""
