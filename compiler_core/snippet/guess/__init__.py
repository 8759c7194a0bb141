"""Finds inputs, and constructor arguments, for a function or module that the snippet never calls.

hints        what names and annotations imply, as tables
annotations  a parameter's annotation -> the values that it can have
usage        what a function's code implies for its parameters
layers       what a module's layers imply for its inputs
options      all of them together: the possible values of a parameter, likeliest first
trial        one guess tried on tensors that have shapes and no values
mended       a guess whose sizes do not fit, mended by what the framework says of them
ways         what may mend what a framework says of a tensor's sizes
search       the first guess that succeeds, within a number of trials and seconds
"""
