"""Remedies: how to change a snippet for an entry of the why-list.

text         a snippet's text, its syntax tree, and edits of the text at nodes of the tree
change       the result of a rewriter: the changed text, or why there is none
table        which rewriters are tried for which kind of entry

Every other file has the rewriters of one remedy. They edit the text rather than print the tree, so
that comments and layout are kept.
"""
