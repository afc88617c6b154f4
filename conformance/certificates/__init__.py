"""Certificates: a result with all that is needed to make it again, in one archive (docs/certificates.md)."""
