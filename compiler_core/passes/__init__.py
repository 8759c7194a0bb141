"""Graph passes, one idea in each file; order.py has their order."""
