"""Runs among nodes that share a PostgreSQL database: each segment is a job of procrastinate's.

A job is put there by the database itself (triggers, `_INSTALLED`), in the transaction in which a run becomes ready, its
question is answered or it has begun to wait: whoever does that, on any node, by whatever channel. Jobs of one run
follow each other. A job that finds nothing to do does nothing. A node sends heartbeats; the jobs of one that is gone
are taken by the others.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from guardhouse.model import GuardhouseError
from guardhouse.runs.dispatching import SWEPT_EVERY
from guardhouse.runs.interface import NoSuchRun, NotTaken, Overtaken

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from procrastinate import App
    from procrastinate.worker import Worker

    from guardhouse.database import PostgresDatabase

QUEUE: Final = "guardhouse_runs"
_TASK: Final = "take_up_run"
BEAT: Final = 2.0
"""Seconds between two heartbeats of a node, and between two looks for jobs of others that have none."""
_SILENT_BEATS: Final = 4
"""Heartbeats that are missing when a node is taken for gone."""
_FORGOTTEN: Final = 86_400.0
"""Seconds after which it is forgotten. Until then one that was only stopped for a while can go on."""
_PATIENCE: Final = 5.0
"""Seconds that runs under way have when this node ends; then others have them."""
_ASKED_TO_END: Final = 3
_LOOKED_EVERY: Final = 5
"""Beats between two looks for runs that nobody has put into the queue."""
_CONNECTIONS: Final = 4
_TRIES: Final = 10
_INSTALLED: Final = (
    f"""
    CREATE OR REPLACE FUNCTION defer_run(run_id TEXT) RETURNS void LANGUAGE sql AS $$
        SELECT procrastinate_defer_jobs_v1(ARRAY[ROW('{QUEUE}', '{_TASK}', 0, 'run:' || run_id, NULL,
            jsonb_build_object('run_id', run_id), NULL)::procrastinate_job_to_defer_v1])
    $$
    """,
    """
    CREATE OR REPLACE FUNCTION run_has_moved() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.status = 'waiting' OR NEW.status = 'ready' AND NEW.parent_id IS NULL THEN
            PERFORM defer_run(NEW.id);
        ELSIF NEW.parent_id IS NOT NULL AND NEW.status IN ('done', 'failed', 'cancelled') THEN
            PERFORM defer_run(NEW.parent_id);
        END IF;
        RETURN NULL;
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION request_has_moved() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM defer_run(c.run_id) FROM run_calls c JOIN runs r ON r.id = c.run_id
            WHERE c.request_id = NEW.id AND c.state IN ('waiting', 'returned') AND r.place = 'daemon';
        RETURN NULL;
    END $$
    """,
    """
    CREATE OR REPLACE TRIGGER defers_runs AFTER INSERT OR UPDATE OF status ON runs
        FOR EACH ROW WHEN (NEW.place = 'daemon') EXECUTE FUNCTION run_has_moved()
    """,
    """
    CREATE OR REPLACE TRIGGER defers_answered_runs AFTER UPDATE OF status ON requests
        FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status <> 'pending' AND NEW.durable = 'true')
        EXECUTE FUNCTION request_has_moved()
    """,
)
"""What puts jobs into the queue. A run that another one works on inside itself is none of its own until it waits."""


def install(database: PostgresDatabase) -> None:
    """Make procrastinate's tables, beside ours, and the triggers that put jobs there, if there are none.
    GuardhouseError."""
    try:
        from procrastinate.schema import SchemaManager
    except ImportError:
        raise GuardhouseError(
            "Runs on PostgreSQL need a part that is not installed.", fix="pip install 'guardhouse[runs,postgres]'"
        ) from None
    with database.installing() as connection:
        if connection.execute("SELECT to_regclass('procrastinate_jobs')").fetchone() == (None,):
            connection.execute(SchemaManager.get_schema())
        for statement in _INSTALLED:
            connection.execute(statement)


class JobFailed(GuardhouseError):
    """A job that is to be tried again. It says what failed, and nothing else: the library logs it whole."""

    def __init__(self, what: str) -> None:
        super().__init__(f"A run could not be worked on ({what}).", fix="See what was told before this.")


class Workers:
    """Who works on runs, among nodes: by the number that procrastinate gives each, and its heartbeat."""

    def __init__(self, database: PostgresDatabase, *, beat: float = BEAT) -> None:
        self._database = database
        self.beat = beat
        self.worker: Worker | None = None

    @property
    def silence(self) -> float:
        """Seconds without a heartbeat after which a node is gone."""
        return self.beat * _SILENT_BEATS

    @property
    def name(self) -> str:
        """What this node is known by, once its worker runs."""
        if self.worker is None or self.worker.worker_id is None:
            raise GuardhouseError("This node works on no runs yet.", fix="Wait until it has started.")
        return f"worker.{self.worker.worker_id}"

    def is_gone(self, name: str) -> bool:
        """Whether a node sends no heartbeats any more. What is no node's can't be told."""
        kind, _, number = name.partition(".")
        if kind != "worker" or not number.isdecimal():
            return False
        with self._database.reading() as rows:
            found = rows.run(
                "SELECT 1 FROM procrastinate_workers "
                "WHERE id = ? AND last_heartbeat > now() - make_interval(secs => ?)",
                (int(number), self.silence),
            )
        return not found

    def beat_once(self) -> None:
        """Say that this node is there."""
        number = int(self.name.partition(".")[2])
        with self._database.beside(wait=self.beat) as rows:
            rows.change("UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = ?", (number,))

    def close(self) -> None:
        """Nothing to be done: a node ends with its worker."""


class JobDispatcher:
    """Works on the jobs of this node, in its event loop. `take_up` works on one run; `to_take_up` tells those that can
    go on, for which there may be no job; `sweep` removes what was kept for long enough, once in `swept_every` seconds;
    `report` is told of what nobody expected."""

    def __init__(
        self,
        database: PostgresDatabase,
        workers: Workers,
        take_up: Callable[[str], Awaitable[object]],
        *,
        to_take_up: Callable[[], Iterable[str]],
        at_once: int,
        report: Callable[[str], None],
        sweep: Callable[[], None] = lambda: None,
        swept_every: float = SWEPT_EVERY,
    ) -> None:
        self._database = database
        self._workers = workers
        self._take_up = take_up
        self._to_take_up = to_take_up
        self._at_once = at_once
        self._report = report
        self._sweep = sweep
        self._swept_every = swept_every
        self._tasks: list[asyncio.Task[None]] = []
        self._is_ending = False

    @property
    def workers(self) -> Workers:
        """Who works on runs, this node among them."""
        return self._workers

    async def start(self) -> None:
        """Begin. GuardhouseError if the tables can't be made."""
        await asyncio.to_thread(install, self._database)
        app = self._app()
        ready = asyncio.Event()
        parts = (
            self._work(app, ready),
            self._look_after(app, ready),
            self._send_heartbeats(ready),
            self._sweep_on(ready),
        )
        self._tasks = [asyncio.create_task(part) for part in parts]
        await ready.wait()

    async def stop(self) -> None:
        """Let go of everything. What was under way is ready for others."""
        self._is_ending = True
        for _ in range(_ASKED_TO_END):  # the worker takes the first word for a wish to end when its jobs have
            for task in self._tasks:
                task.cancel()
            if not self._tasks or not (await asyncio.wait(self._tasks, timeout=_PATIENCE))[1]:
                break
        self._tasks = []

    def _app(self) -> App:
        from procrastinate import App, PsycopgConnector, RetryStrategy

        app = App(
            connector=PsycopgConnector(
                conninfo=self._database.url,
                kwargs={"options": "-c search_path=guardhouse"},
                min_size=1,
                max_size=_CONNECTIONS,
            )
        )
        # What fails here has left the run as it was: the database can't be reached, for instance.
        again = RetryStrategy(max_attempts=_TRIES, exponential_wait=2)
        app.task(name=_TASK, queue=QUEUE, retry=again)(self._one)
        return app

    async def _one(self, run_id: str) -> None:
        """One job."""
        try:
            await self._take_up(run_id)
        except (NotTaken, NoSuchRun, Overtaken):
            return  # it waits still, is over, or others have it
        except GuardhouseError as error:
            self._report(str(error))
            raise JobFailed(type(error).__name__) from None
        except Exception as error:  # noqa: BLE001 - its words may be anybody's, and the library logs what it is given
            self._report(f"{type(error).__name__} in a run")
            raise JobFailed(type(error).__name__) from None

    async def _work(self, app: App, ready: asyncio.Event) -> None:
        """Be a worker, again and again: a database server may be away for a while."""
        from procrastinate.worker import Worker

        while not self._is_ending:
            try:
                async with app.open_async():
                    worker = self._workers.worker = Worker(
                        app,
                        queues=[QUEUE],
                        concurrency=self._at_once,
                        install_signal_handlers=False,
                        delete_jobs="always",
                        update_heartbeat_interval=self._workers.beat,
                        stalled_worker_timeout=_FORGOTTEN,
                        shutdown_graceful_timeout=_PATIENCE,
                    )
                    ready.set()
                    await worker.run()  # type: ignore[no-untyped-call]
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001 - told, and tried again
                self._report(f"The worker of runs has stopped ({type(error).__name__}); it is started again.")
            await asyncio.sleep(self._workers.beat)

    async def _send_heartbeats(self, ready: asyncio.Event) -> None:
        """Say that this node is there, for as long as it works on anything: the worker's own heartbeats end before its
        last job does, and with the first error of the database."""
        await ready.wait()
        while True:
            await asyncio.sleep(self._workers.beat)
            try:
                await asyncio.to_thread(self._workers.beat_once)
            except GuardhouseError as error:
                self._report(f"This node can't say that it is there: {error.what}")

    async def _sweep_on(self, ready: asyncio.Event) -> None:
        """Remove what was kept for long enough. That several nodes do so does no harm."""
        await ready.wait()
        while True:
            try:
                await asyncio.to_thread(self._sweep)
            except Exception as error:  # noqa: BLE001 - told, and tried again
                self._report(f"Old runs can't be removed now ({type(error).__name__}).")
            await asyncio.sleep(self._swept_every)

    async def _look_after(self, app: App, ready: asyncio.Event) -> None:
        """Give the jobs of nodes that are gone to whoever is there."""
        from procrastinate.exceptions import ConnectorException

        await ready.wait()
        beats = 0
        while True:
            await asyncio.sleep(self._workers.beat)
            beats += 1
            try:
                if beats % _LOOKED_EVERY == 0:
                    await asyncio.to_thread(self._defer_forgotten)
                stalled = await app.job_manager.get_stalled_jobs(
                    queue=QUEUE, seconds_since_heartbeat=self._workers.silence
                )
                for job in stalled:
                    with suppress(ConnectorException):  # another node was quicker
                        await app.job_manager.retry_job(job)
            except Exception as error:  # noqa: BLE001 - told, and looked at again
                self._report(f"Nobody looks after the runs of other nodes now ({type(error).__name__}).")

    def _defer_forgotten(self) -> None:
        """Put runs into the queue that could go on and for which there is no job: it was lost, or none was made."""
        for run_id in self._to_take_up():
            with self._database.writing() as rows:
                rows.run(
                    "SELECT defer_run(?) WHERE NOT EXISTS (SELECT 1 FROM procrastinate_jobs "
                    "WHERE lock = 'run:' || ? AND status IN ('todo', 'doing'))",
                    (run_id, run_id),
                )
