"""The recommendation's parts (``guide.recommend`` puts them together): fit, then speed, then money, and what
would change the answer. Pure functions."""
