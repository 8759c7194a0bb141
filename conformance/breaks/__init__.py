"""Random torch programs that are no single graph: snippets with graph breaks, side effects of
Python, writes and aliases across a break, and several results."""
