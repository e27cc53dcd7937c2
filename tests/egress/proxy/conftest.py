import pytest
from loopback_server import make_certificate
from proxied import Place


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GUARDHOUSE_KEY_DIR", str(tmp_path / "keys"))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "GUARDHOUSE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    made = Place(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """Where the certificate of a.example is."""
    directory = tmp_path_factory.mktemp("certificate")
    make_certificate(directory, "a.example")
    return directory


@pytest.fixture
def certificate(tmp_path):
    """Contexts for a server called a.example, and for a client that trusts it."""
    return make_certificate(tmp_path, "a.example")
