"""Mirrors archives into a folder and keeps them up to date."""
