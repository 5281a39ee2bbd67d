"""What `python -m akgen.capture` is made of: a function in PyTorch becomes a task of akgen's. Needs PyTorch; the rest of the package does not."""
