"""xAI: calls whole in one delta, chunks without a finish reason, and errors that are text beside a code."""
