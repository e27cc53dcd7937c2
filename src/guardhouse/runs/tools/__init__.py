"""Tools of runs, a file each: what the model is told of one, how the gate is asked, and making the call."""
