"""The gallery: plain files in snippets/, which the end-to-end tests and the bench use too."""
