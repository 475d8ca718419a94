"""Verifies the signatures of a service, or of a mirror of it, up to a root key that the reader trusts."""
