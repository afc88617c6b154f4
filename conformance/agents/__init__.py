"""Coding agents as subjects: a script is played to the agent's end in a scratch workspace, and a verdict is given.

    recipe + script ──▶ run (a namespace, a workspace, the server, the agent) ──▶ verdict

A recipe (`conformance.agents.recipe`) says how one agent is installed and started. A script
(`conformance.agents.script`) says what the model does, in roles; `conformance.agents.binding` finds the agent's own
tools for them. `conformance.agents.directing` follows the conversation by the ids that it gave out.
"""

PREFIX = "agent:"
"""What an agent's address begins with."""
