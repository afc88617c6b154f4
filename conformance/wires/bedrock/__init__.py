"""Amazon Bedrock's Converse: all that is known of it."""
