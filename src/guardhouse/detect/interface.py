"""What a detector is: a function from a scene to findings, listed with its name and its reason codes.

A scene is one action with everything a detector may look at: the facts so far, the settings, and the parts of the
action that several detectors share (its strings, the secrets in them, where it reaches out to), found once.
"""
