"""An evening on a phone, of a game in sides and of one without: the test of `scorekeeper.testing`."""

import pytest

from scorekeeper.testing.test_pages import test_an_evening_is_tapped_on_a_phone as an_evening

pytestmark = pytest.mark.browser

test_an_evening_is_tapped_on_a_phone = pytest.mark.parametrize("slug", ["francion", "whist"])(an_evening)
