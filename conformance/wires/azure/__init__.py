"""Azure OpenAI: the same service behind another door, with its content filter's verdicts everywhere."""
