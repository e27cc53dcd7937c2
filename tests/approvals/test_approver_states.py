"""Invariant 6, under any sequence of questions, answers, edits, grants and jumps of the clock by two approvers on one
store: nothing is used twice, after its end, by anybody else, or beyond what stood on its card."""

import shutil
import tempfile
from collections import defaultdict
from pathlib import Path

import msgspec
import psycopg
from approval_desk import FINAL, STEPS, Clock, Desk, question
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule, run_state_machine_as_test

from examples import up_to
from guardhouse.approvals import AlreadyAnswered, ApprovalSettings, NotOffered, RequestClosed
from guardhouse.model import ONCE, ApprovalStatus, GrantScope, RiskLevel, Target, Terms

QUESTIONS = st.builds(
    question,
    st.sampled_from(["make", "rm"]),
    session=st.sampled_from(["s1", "s2"]),
    facts=st.sampled_from([{"digest": "1"}, {"digest": "2"}]),
    risk=st.sampled_from([RiskLevel.MEDIUM, RiskLevel.HIGH]),
    codes=st.sampled_from([("a.b",), ("a.b", "c.d")]),
    targets=st.sampled_from([(), (Target("a.b", "path /a"),), (Target("a.b", "path /a"), Target("c.d", "path /b"))]),
)
TERMS = st.sampled_from([ONCE, ONCE, Terms(grant=GrantScope("exact", 60)), Terms(grant=GrantScope("destination", 60))])
PEOPLE = st.sampled_from(["bob", "telegram:7", "carol"])
WHICH = st.integers(0, 1)
TIMES = st.sampled_from([1, 30, 59, 60, 100, -1, -60, -500])


def attempt(call):
    """What it gives, or the error."""
    try:
        return call(), None
    except RequestClosed as error:
        return None, error


class Approvals(RuleBasedStateMachine):
    second_from = None
    ids = Bundle("ids")
    approved = Bundle("approved")

    def __init__(self):
        super().__init__()
        self.place = self.new_place()
        self.clock = Clock()
        limits = ApprovalSettings(
            answer_within={"medium": 60, "high": 100},
            use_within=60,
            most_pending=3,
            second_from=self.second_from,
            people={"bob": ("bob", "telegram:7")},
            pause_after=0,
        )
        self.desks = [
            Desk(self.place, self.clock, limits, record=self.noted, record_grant=self.given, key=bytes(32))
            for _ in range(2)
        ]
        self.live_grants = {}
        self.history = defaultdict(list)
        self.latest = {}
        self.grants = defaultdict(int)
        self.answers = {}
        self.questions = {}

    def teardown(self):
        for desk in self.desks:
            desk.approver.close()
        self.remove(self.place)

    def new_place(self):
        return Path(tempfile.mkdtemp(), "a.db")

    def remove(self, place):
        shutil.rmtree(place.parent)

    def given(self, grant):
        request = self.latest[grant.request_id]
        assert set(grant.codes) == set(request.codes)
        assert grant.risk_level is request.risk_level
        assert grant.expires_at <= self.clock.now + 60 or grant.revoked_at is not None
        self.live_grants[grant.id] = grant

    def noted(self, request):
        past, now = self.history[request.id], self.clock.now
        if past and past[-1] is request.status is ApprovalStatus.PENDING:  # one of two has said yes
            assert len(request.consents) == len(self.latest[request.id].consents) + 1 < request.needed
            self.latest[request.id] = request
            return
        assert request.status in STEPS[past[-1] if past else None]
        if request.status is ApprovalStatus.APPROVED:
            said = {"bob" if one.actor == "telegram:7" else one.actor for one in request.consents}
            assert len(said) == len(request.consents) == request.needed
        if request.status is ApprovalStatus.APPROVED or request.status is ApprovalStatus.DENIED:
            assert now < request.expires_at
            assert request.answered_at == now
            self.answers[request.id] = (request.status, request.actor)
        if request.status is ApprovalStatus.CONSUMED:
            assert now < request.use_by
        past.append(request.status)
        self.latest[request.id] = request

    @rule(target=ids, asked=QUESTIONS, which=WHICH)
    def settle(self, asked, which):
        return self.settled(asked, self.desks[which].approver.settle(asked))

    @rule(target=approved, asked=QUESTIONS, which=WHICH)
    def ask_and_approve(self, asked, which):
        request_id = self.settled(asked, self.desks[which].approver.settle(asked))
        if not isinstance(request_id, str) or self.latest[request_id].status is not ApprovalStatus.PENDING:
            return multiple()
        for actor in ("bob", "carol"):
            if self.latest[request_id].status is ApprovalStatus.PENDING:
                self.answer(request_id, True, actor, 1 - which)
        return request_id

    @rule(request_id=approved | ids, by_id=st.booleans(), which=WHICH)
    def retry(self, request_id, by_id, which):
        asked = self.questions[request_id]
        self.settled(asked, self.desks[which].approver.settle(asked, request_id if by_id else None))

    @rule(target=ids, asked=QUESTIONS, request_id=ids, which=WHICH)
    def settle_by_id(self, asked, request_id, which):
        was = self.latest[request_id]
        settlement = self.desks[which].approver.settle(asked, request_id)
        is_edited = was.status is ApprovalStatus.SUPERSEDED and was.superseded_by is not None
        if settlement.granted and settlement.grant is None and not is_edited:
            assert settlement.request.id == request_id
            assert was.status is ApprovalStatus.APPROVED
        if was.status in FINAL and settlement.grant is None and not is_edited:
            assert settlement.refusal is not None
        return self.settled(asked, settlement)

    @rule(request_id=approved | ids, same=st.booleans(), asked=QUESTIONS, which=WHICH)
    def nothing_asks_any_more(self, request_id, same, asked, which):
        was = self.latest[request_id]
        moot = msgspec.structs.replace(self.questions[request_id] if same else asked, codes=())
        settlement = self.desks[which].approver.settle(moot, request_id)
        assert settlement.grant is None
        if was.superseded_by is None:
            if was.status in FINAL:
                assert settlement.refusal is not None
            assert settlement.granted or settlement.refusal is not None or settlement.edited is not None
        self.settled(moot, settlement)

    def settled(self, asked, settlement):
        request = settlement.request
        if request is None:
            assert settlement.refusal in {"unknown", "too_many"}
            return multiple()
        assert request == self.latest[request.id]
        self.questions.setdefault(request.id, asked)
        assert (request.session_id, request.principal) == (asked.session_id, asked.principal)
        if settlement.grant is not None:
            self.used(asked, settlement.grant)
            return multiple()
        if settlement.edited is not None:
            assert settlement.edited.request_id == request.id
            assert request.edit_of is not None
            assert request.status is ApprovalStatus.APPROVED
            assert not settlement.granted
            assert settlement.refusal is None
            return request.id
        if settlement.granted:
            assert settlement.refusal is None
            assert request.action_hash == asked.bound.hash
            if request.status is ApprovalStatus.CANCELLED:
                assert (request.actor, asked.codes) == ("policy", ())
            else:
                assert request.status is ApprovalStatus.CONSUMED
                assert set(asked.codes) <= set(request.codes)
                assert not asked.codes or asked.risk_level <= request.risk_level
            self.grants[request.id] += 1
        if settlement.refusal == "drift":
            assert request.action_hash != asked.bound.hash
            assert settlement.drifted
        if settlement.refusal is None and not settlement.granted:
            assert request.status is ApprovalStatus.PENDING
            assert request.action_hash == asked.bound.hash or request.edit_of is not None
        return request.id

    def used(self, asked, grant):
        """What a grant let through is what stood on its card, in its time, and no more often than it says."""
        before = self.live_grants[grant.id]
        assert before.revoked_at is None
        assert self.clock.now < grant.expires_at
        assert grant.uses == before.uses + 1 <= (grant.most_uses or grant.uses)
        assert asked.codes
        assert set(asked.codes) <= set(grant.codes)
        assert asked.risk_level <= grant.risk_level
        assert (asked.session_id, asked.principal) == (grant.session_id, grant.principal)
        if grant.reach == "exact":
            assert asked.bound.hash == grant.action_hash
        else:
            assert asked.targets
            assert set(asked.targets) <= set(grant.targets)
        self.live_grants[grant.id] = grant

    @rule(target=approved, request_id=ids, asked=QUESTIONS, actor=PEOPLE, terms=TERMS, which=WHICH)
    def edit(self, request_id, asked, actor, terms, which):
        was = self.latest[request_id]
        asked = msgspec.structs.replace(
            asked, session_id=was.session_id, bound=msgspec.structs.replace(
                asked.bound, action={**asked.bound.action, "session_id": was.session_id}
            )
        )  # fmt: skip
        try:
            new = self.desks[which].approver.replace(request_id, asked, actor=actor, terms=terms)
        except (RequestClosed, NotOffered):
            return multiple()
        assert was.status is ApprovalStatus.PENDING
        assert self.latest[request_id].superseded_by == new.id
        self.questions.setdefault(new.id, asked)
        return new.id

    @rule(request_id=approved | ids, actor=PEOPLE, which=WHICH)
    def reapprove(self, request_id, actor, which):
        was = self.latest[request_id]
        try:
            grant = self.desks[which].approver.reapprove(request_id, actor=actor)
        except NotOffered:
            return
        assert self.latest[request_id].status in {ApprovalStatus.DENIED, ApprovalStatus.EXPIRED}
        assert (grant.most_uses, was.needed) == (1, 1)

    @rule(which=WHICH, data=st.data())
    def revoke(self, which, data):
        if self.live_grants:
            grant_id = data.draw(st.sampled_from(sorted(self.live_grants)))
            assert self.desks[which].approver.revoke(grant_id, actor="bob").revoked_at is not None

    @rule(request_id=approved | ids, approve=st.booleans(), actor=PEOPLE, which=WHICH, terms=TERMS)
    def answer(self, request_id, approve, actor, which, terms=ONCE):
        first = self.answers.get(request_id)
        try:
            request, error = attempt(
                lambda: self.desks[which].approver.answer(request_id, approve=approve, actor=actor, terms=terms)
            )
        except NotOffered:
            assert terms != ONCE or self.latest[request_id].consents
            return
        if error is None and request.status is ApprovalStatus.PENDING:
            assert approve
            assert 0 < len(request.consents) < request.needed
            return
        wanted, opposite = (ApprovalStatus.APPROVED, ApprovalStatus.DENIED)[:: 1 if approve else -1]
        if error is None:
            assert self.answers[request_id] == (wanted, request.actor)
            assert first in {None, self.answers[request_id]}
        elif isinstance(error, AlreadyAnswered):
            assert first == self.answers[request_id] == (opposite, error.request.actor)
        else:
            assert error.request.status in FINAL

    @rule(request_id=approved | ids, which=WHICH)
    def cancel(self, request_id, which):
        request, error = attempt(lambda: self.desks[which].approver.cancel(request_id, actor="eve"))
        assert ((request or error.request).status is ApprovalStatus.CANCELLED) == (error is None)
        assert error is None or error.request.status in FINAL

    @rule(seconds=TIMES)
    def pass_(self, seconds):
        self.clock.pass_(seconds)

    @rule(which=WHICH)
    def sweep(self, which):
        self.desks[which].approver.sweep()
        assert self.desks[which].approver.sweep() == 0

    @rule(request_id=approved | ids, which=WHICH)
    def look(self, request_id, which):
        desk = self.desks[which]
        assert desk.approver.get(request_id) == self.latest[request_id]
        kept = desk.approver.resume_data(request_id) is not None
        assert kept == (self.latest[request_id].status not in FINAL) or self.latest[request_id].superseded_by

    @rule(which=WHICH)
    def reopen(self, which):
        self.desks[which].approver.close()

    @invariant()
    def granted_once(self):
        for request_id, statuses in self.history.items():
            moot = self.latest[request_id].actor == "policy"
            assert statuses.count(ApprovalStatus.CONSUMED) + moot == self.grants[request_id] <= 1

    @invariant()
    def one_live_request_for_one_action(self):
        live = [
            (request.session_id, request.action_hash) for request in self.latest.values() if request.status not in FINAL
        ]
        assert len(live) == len(set(live))


TestApprovals = Approvals.TestCase
TestApprovals.settings = settings(
    max_examples=up_to(50), stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


class ByTwo(Approvals):
    """The same where what is of high risk takes two people."""

    second_from = RiskLevel.HIGH


TestByTwo = ByTwo.TestCase
TestByTwo.settings = settings(
    max_examples=up_to(15), stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def test_the_same_holds_on_postgresql(postgres_url):
    class OnPostgres(Approvals):
        def new_place(self):
            return postgres_url

        def remove(self, place):
            with psycopg.connect(place) as connection:
                connection.execute("DROP SCHEMA IF EXISTS guardhouse CASCADE")

    run_state_machine_as_test(
        OnPostgres,
        settings=settings(
            max_examples=up_to(20), stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
