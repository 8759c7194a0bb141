"""What to change in a snippet for an entry of the why-list: its text with the remedy in it.

text         a snippet's text, its syntax tree, and edits of the text by places of the tree
change       what a rewriter gives: the changed text, or why there is none
table        which rewriters are asked for which kind of entry

Each other file is one remedy. Edits are of the text, so that comments and layout stay as they are.
"""
