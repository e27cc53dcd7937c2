"""The audit log: a chain of events on disk, and reading it back."""
