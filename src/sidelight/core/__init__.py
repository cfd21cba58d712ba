"""What everything stands on: arrays, errors, parameters, memory, threads, progress."""
