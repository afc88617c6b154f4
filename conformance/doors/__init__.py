"""The doors of a library: what it offers its users that is about tools, and which of it the scenarios play.

`table` reads what is known of a library: the classes that its users meet, and what is left out, with reasons. `derived`
asks the installed release for its doors. `played` plays the shims and collects what they really called. `inventory`
puts the two side by side, and counts; `pages` shows it.
"""
