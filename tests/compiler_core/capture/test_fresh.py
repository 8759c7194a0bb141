"""New values for arguments stay in the domain of the old ones."""

import numpy as np
import pytest

from compiler_core.capture.fresh import resample

_ROWS = np.random.default_rng(0).standard_normal((3, 40, 8))
# Symmetric and positive definite: as a product gives it, several, the unit matrix.
DEFINITE = {
    "product": (_ROWS[0].T @ _ROWS[0]).astype(np.float32),
    "several": (_ROWS.swapaxes(1, 2) @ _ROWS).astype(np.float32),
    "unit": np.eye(8, dtype=np.float32),
}


@pytest.mark.parametrize("name", DEFINITE)
def test_a_positive_definite_matrix_stays_one_and_is_another(name):
    values = DEFINITE[name]
    drawn = resample(values, np.random.default_rng(1))
    assert drawn.dtype == values.dtype and (drawn != values).any()
    np.testing.assert_allclose(drawn, drawn.swapaxes(-1, -2), rtol=1e-5)
    assert np.linalg.eigvalsh(drawn).min() > 0.5 * np.linalg.eigvalsh(values).min()


def test_a_square_matrix_that_is_not_symmetric_is_drawn_from_its_elements():
    values = _ROWS[0, :8].astype(np.float32)
    drawn = resample(values, np.random.default_rng(1))
    assert np.isin(drawn, values).all() and (np.sort(drawn, None) != np.sort(values, None)).any()
