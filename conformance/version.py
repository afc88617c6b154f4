"""The version of the suite."""

VERSION = "0.2.0"
