"""Guardhouse: a safety gate for tool-using AI agents."""
