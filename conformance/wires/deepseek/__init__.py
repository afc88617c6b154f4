"""DeepSeek: thinking that must come back with the calls that it led to, and that rules out forced calls."""
