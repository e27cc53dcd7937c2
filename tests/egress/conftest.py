import pytest
from loopback_server import Asking, Server, everything_here, new_runner, rules


@pytest.fixture
def serve():
    """Servers, as many as a test wants."""
    running = []

    def served(reply=None, **more):
        running.append(Server(reply, **more))
        return running[-1]

    yield served
    for server in running:
        server.close()


@pytest.fixture(params=["sync", "async"])
def ask(request):
    """Guarded clients of one kind, as many as a test wants."""
    runner = new_runner() if request.param == "async" else None
    made = []

    def asking(given=None, resolver=None, **more):
        made.append(Asking(runner, given or rules(), resolver or everything_here(), **more))
        return made[-1]

    yield asking
    for client in made:
        client.close()
    if runner is not None:
        runner.close()
