"""Scenarios in which the provider answers in all the forms that it was seen to send, or that its types have."""
