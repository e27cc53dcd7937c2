"""Names that are private without a look-up."""

import pytest

from guardhouse.net import is_local_name
from guardhouse.net.local_names import LOCAL_SUFFIXES, METADATA_NAMES


@pytest.mark.parametrize("suffix", sorted(LOCAL_SUFFIXES))
def test_a_local_suffix_is_local_and_so_is_everything_below_it(suffix):
    assert is_local_name(suffix)
    assert is_local_name(f"db.{suffix}")
    assert is_local_name(f"a.b.c.{suffix}")


@pytest.mark.parametrize("suffix", sorted(LOCAL_SUFFIXES))
def test_a_public_name_that_holds_a_local_suffix_is_not_local(suffix):
    assert not is_local_name(f"{suffix}.example.com")
    assert not is_local_name(f"my{suffix}.com")
    assert not is_local_name(f"www.not-{suffix.replace('.', '-')}.org")


@pytest.mark.parametrize("name", [*sorted(METADATA_NAMES), "metadata", "printer", "kubernetes.default.svc"])
def test_metadata_names_and_names_without_a_dot_are_local(name):
    assert is_local_name(name)


@pytest.mark.parametrize("name", ["example.com", "ip6.arpa", "www.metadata.goog.example", "xn--bcher-kva.example"])
def test_an_ordinary_name_is_not_local(name):
    assert not is_local_name(name)
