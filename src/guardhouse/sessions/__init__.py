"""Sessions: what was said and returned, as events, and an index that tells where a value came from."""
