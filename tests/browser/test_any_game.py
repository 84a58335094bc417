"""An evening on a phone, of a game of each way to sit: the test of `scorekeeper.testing`."""

import pytest

from scorekeeper.testing.test_pages import test_an_evening_is_tapped_on_a_phone as an_evening

from .screens import BY_SEATING

pytestmark = pytest.mark.browser

test_an_evening_is_tapped_on_a_phone = pytest.mark.parametrize("slug", BY_SEATING)(an_evening)
