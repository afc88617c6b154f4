"""Mistral: ids of nine letters and digits, all calls in one delta, and an order of roles that it insists on."""
