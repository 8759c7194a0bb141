"""The gallery: plain files in snippets/, which are also the end-to-end tests and the bench."""
