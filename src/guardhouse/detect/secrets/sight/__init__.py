"""Sees through what hides a secret: encodings, invisible characters, pieces. Gives what it reads with the way back.

`veils` says what shows that something is hidden, `reading` takes the veils off, `view` is what was read. They are
imported one by one: most texts hide nothing, and then only the first is needed.
"""
