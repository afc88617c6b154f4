"""A run is one function: `conformance.run` (`conformance.runner.entry`) yields events and ends in a result."""
