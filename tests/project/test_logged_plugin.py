"""What the fixture `logged` hears."""

import logging

APART = logging.getLogger("tests.apart")
APART.propagate = False


def test_every_logger_is_heard_also_one_that_does_not_propagate(logged):
    logging.getLogger("tests.some").warning("one")
    APART.warning("two")
    assert [record.getMessage() for record in logged] == ["one", "two"]


def test_nobody_listens_unasked():
    assert APART.handlers == []
