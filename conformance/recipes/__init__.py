"""Recipes: small files that say how a program is installed, set up and started. What agents and gateways share."""
