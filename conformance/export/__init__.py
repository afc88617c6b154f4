"""The suite as plain files, for a runner in any language: ``INTERPRETING.md`` defines them."""
