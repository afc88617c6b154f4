"""A network with nobody else in it, for programs that are run to be judged: who is asked in it is written down."""
