"""The reason codes of policy and of the gate itself, and the catalogue of all codes there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect import DETECTORS, FAILED
from guardhouse.model import ReasonCode, Refusal, Severity
from guardhouse.net import CLIENT_CODES

if TYPE_CHECKING:
    from guardhouse.detect import Detector

RULE: Final = ReasonCode(
    id="policy.rule",
    title="A rule of the policy applies",
    severity=Severity.MEDIUM,
    why="The policy says so.",
    instead="",
    example="Any action that a rule without `finding` matches.",
    about="text",
)
RULE_FAILED: Final = ReasonCode(
    id="policy.rule_failed",
    title="A rule's condition could not be evaluated",
    severity=Severity.HIGH,
    why="A restricting rule that can't be evaluated counts as matching.",
    instead="Ask the user to look at the rule.",
    example="A rule with `when: action.params.count > 3` and a call without `count`.",
    about="text",
)
INVALID: Final = ReasonCode(
    id="action.invalid",
    title="The input is not an action",
    severity=Severity.HIGH,
    why="What can't be understood can't be judged.",
    instead="Send one of the nine action types with its fields, as strict JSON.",
    example='{"type":"ToolCallPre","tool":"bash","params":{},"surprise":1}',
    about="text",
)
TOO_LARGE: Final = ReasonCode(
    id="action.too_large",
    title="The action is larger than the gate looks at",
    severity=Severity.HIGH,
    why="The part that is not looked at could hold anything.",
    instead="Ask for less at a time.",
    example="A tool result of more than `limits.max_bytes`, or nested deeper than 64 levels.",
    about="text",
)
DISABLED: Final = ReasonCode(
    id="guard.disabled",
    title="The guard is switched off",
    severity=Severity.INFO,
    why="The configuration says `enabled: false`; nothing is checked.",
    instead="",
    example="Any action while `enabled: false` is set.",
    about="text",
)
POLICY_UNREADABLE: Final = ReasonCode(
    id="guard.policy_unreadable",
    title="The policy can't be read",
    severity=Severity.HIGH,
    why="Without a policy there is nothing to allow by.",
    instead="Ask the user to run `guardhouse policy check`.",
    example="Any action after a configuration file was changed to something that can't be read.",
    about="text",
)
INTERNAL_ERROR: Final = ReasonCode(
    id="guard.internal_error",
    title="The guard failed",
    severity=Severity.HIGH,
    why="A decision that could not be made is not a permission.",
    instead="Try a simpler call; the user can report the failure.",
    example="An exception inside the gate, outside any detector.",
    about="text",
)
REDACTION_FAILED: Final = ReasonCode(
    id="guard.redaction_failed",
    title="What should have been masked could not be",
    severity=Severity.HIGH,
    why="Content that should be masked and is not must not be passed on.",
    instead="Ask for a part of the content without the secret.",
    example="The redactor raised an exception, or changed nothing although a secret was found.",
    about="text",
)

APPROVED: Final = ReasonCode(
    id="approval.granted",
    title="A person has approved this call",
    severity=Severity.INFO,
    why="The approval covers exactly this call, once.",
    instead="",
    example="A call that asked, was approved, and is made again unchanged.",
    about="text",
)
BY_GRANT: Final = ReasonCode(
    id="approval.by_grant",
    title="A person's grant covers this call",
    severity=Severity.INFO,
    why="A person said yes to this, or to its like, for more than once in this session.",
    instead="",
    example="The same upload to the same host, ten minutes after a person granted it for an hour.",
    about="text",
)
EDITED: Final = ReasonCode(
    id="approval.edited",
    title="A person has changed the arguments of this call",
    severity=Severity.INFO,
    why="The person who was asked said yes to the call with other arguments; it is made with those.",
    instead="",
    example="A command that asked, was shortened by the person who approved it, and is made so.",
    about="text",
)
EDIT_REFUSED: Final = ReasonCode(
    id="approval.edit_refused",
    title="A person has changed the arguments of this call, and they can't be used here",
    severity=Severity.INFO,
    why="The person who was asked said yes to other arguments than these, and to nothing else.",
    instead="Make the call with other arguments, or ask the user what they meant.",
    example="A command that was changed by the person who approved it, for a program that takes no changed arguments.",
    about="text",
)
CONDITION: Final = ReasonCode(
    id="approval.condition",
    title="A person lets only a part of this result be seen",
    severity=Severity.INFO,
    why="The person who approved the call said how much of its result may be seen.",
    instead="Go on with what is shown; ask the user if more is needed.",
    example="A file that was approved to be read on the condition that only its first twenty lines are seen.",
    about="text",
)
CONDITION_UNKNOWN: Final = ReasonCode(
    id="approval.condition_unknown",
    title="How much of this result may be seen can't be told",
    severity=Severity.HIGH,
    why="The call may have been approved on a condition, and the session that knows it can't be read or used.",
    instead="Ask the user to look at the guard's state directory.",
    example="A result while the store of sessions is damaged, or a conditional approval used by a call without an id.",
    about="text",
)
DENIED: Final = ReasonCode(
    id="approval.denied",
    title="A person has said no",
    severity=Severity.HIGH,
    why="The person who was asked does not want this.",
    instead="Do not try again; go on without it, or ask the user what they would rather have.",
    example="A call that asked, was denied, and is made again.",
    about="text",
)
TIMEOUT: Final = ReasonCode(
    id="timeout",
    title="Nobody answered in time",
    severity=Severity.MEDIUM,
    why="A question without an answer is not a yes.",
    instead="Go on without it, or make the call again when the user is there.",
    example="A call that asked and was not answered within `approvals.answer_within`.",
    about="text",
)
TOO_LATE: Final = ReasonCode(
    id="approval.too_late",
    title="The approval was not used in time",
    severity=Severity.MEDIUM,
    why="What a person approved a while ago may no longer be what they want.",
    instead="Make the call again, without the old approval: it asks anew.",
    example="A call that was approved and is made later than `approvals.use_within` allows.",
    about="text",
)
USED: Final = ReasonCode(
    id="approval.used",
    title="The approval has been used already",
    severity=Severity.HIGH,
    why="An approval is good for one call.",
    instead="Make the call again, without the old approval: it asks anew.",
    example="A call made a second time with the id of one approval.",
    about="text",
)
DRIFT: Final = ReasonCode(
    id="approval.drift",
    title="This is not what was approved",
    severity=Severity.HIGH,
    why="An approval is good only for the call and the files that the person was shown.",
    instead="Make the call exactly as it was approved, or make this one without that approval: it asks anew.",
    example="A call approved for one file and made for another, or a script edited after its run was approved.",
    about="text",
)
UNKNOWN_APPROVAL: Final = ReasonCode(
    id="approval.unknown",
    title="There is no such approval here",
    severity=Severity.HIGH,
    why="An approval is good only in the session, and for the principal, that asked for it.",
    instead="Make the call without it: it asks anew.",
    example="A call with an approval id that was made up, or that belongs to another session.",
    about="text",
)
WITHDRAWN: Final = ReasonCode(
    id="approval.cancelled",
    title="The question was withdrawn",
    severity=Severity.MEDIUM,
    why="A question that nobody answers any more is not a yes.",
    instead="Make the call again if it is still wanted: it asks anew.",
    example="A call whose request for approval was cancelled.",
    about="text",
)
REPLACED: Final = ReasonCode(
    id="approval.superseded",
    title="The approval no longer counts",
    severity=Severity.MEDIUM,
    why="Something changed after the question was asked, so it was replaced or withdrawn.",
    instead="Make the call again, without the old approval: it asks anew.",
    example="A call with the id of an approval that a newer question has replaced.",
    about="text",
)
PAUSED: Final = ReasonCode(
    id="approval.paused",
    title="Nobody is asked for a while, because so much was denied",
    severity=Severity.HIGH,
    why="People said no to what this session asked, again and again; asking on would only wear them down.",
    instead="Stop, tell the user what you are trying to do, and let them say how to go on.",
    example="A call that asks after five requests of its session were denied in a row.",
    about="text",
)
UNATTENDED: Final = ReasonCode(
    id="approval.unattended",
    title="Nobody is there to be asked",
    severity=Severity.HIGH,
    why="The policy says that this runs unattended, so what would need a person's approval is denied at once.",
    instead="Do without it, and tell the user what could not be done.",
    example="Any call that asks, while `approvals.unattended: true` is set.",
    about="text",
)
TOO_MANY_QUESTIONS: Final = ReasonCode(
    id="approval.too_many",
    title="Too many questions are waiting for an answer",
    severity=Severity.HIGH,
    why="Among very many questions a person can't find the one that matters.",
    instead="Wait until the user has answered what is waiting.",
    example="A call that asks while a hundred questions of its session are waiting.",
    about="text",
)
UNSHOWABLE: Final = ReasonCode(
    id="approval.unshowable",
    title="Nobody can be asked, because nobody could be shown the whole of it",
    severity=Severity.HIGH,
    why="What must be masked could hide more than a secret, or there is more of it than a person can read.",
    instead="Leave secrets out (let the program read them itself), and do less at a time.",
    example="A command that asks and holds a private key, or an action of more than 128 KiB that asks.",
    about="text",
)
APPROVALS_UNUSABLE: Final = ReasonCode(
    id="guard.approvals_unusable",
    title="The store of approvals can't be used",
    severity=Severity.HIGH,
    why="What can't be asked, or can't be used up, can't be approved.",
    instead="Ask the user to look at the guard's state directory.",
    example="A call that asks while the store's disk is full or its file is damaged.",
    about="text",
)
AUDIT_UNWRITABLE: Final = ReasonCode(
    id="guard.audit_unwritable",
    title="The decision can't be recorded",
    severity=Severity.HIGH,
    why="What leaves no evidence is not done.",
    instead="Ask the user to look at the guard's state directory.",
    example="Any action while the audit log's disk is full.",
    about="text",
)
SESSION_UNWRITABLE: Final = ReasonCode(
    id="guard.session_unwritable",
    title="The session can't remember this",
    severity=Severity.HIGH,
    why="Where a later value came from could not be told, so what the session does not know of does not come into it.",
    instead="Ask the user to look at the guard's state directory.",
    example="A tool's result while the session index is locked.",
    about="text",
)
MARKERS_UNUSABLE: Final = ReasonCode(
    id="guard.markers_unusable",
    title="Content from outside can't be marked",
    severity=Severity.HIGH,
    why="A model could not tell it from the words of its user, so it does not get it.",
    instead="Ask the user to look at the guard's directory of keys.",
    example="A web page while the key of the markers can be read by others.",
    about="text",
)
DAEMON_UNREACHABLE: Final = ReasonCode(
    id="guard.daemon_unreachable",
    title="The daemon gave no verdict",
    severity=Severity.HIGH,
    why="Without a verdict there is nothing to allow by.",
    instead="Go on without it, and ask the user to look at the daemon: it must run, and know the token.",
    example="Any action while the daemon is down, refuses the token, or answers with something that is no verdict.",
    about="text",
)
JUDGE_CLEARED: Final = ReasonCode(
    id="guardian.cleared",
    title="The guardian saw no reason to ask a person",
    severity=Severity.INFO,
    why="A second look at the session found that the user asked for this.",
    instead="",
    example="A call that picks its date from a page the user pointed at, with `guardian.mode: enforce`.",
    about="text",
)
JUDGE_AGAINST: Final = ReasonCode(
    id="guardian.blocked",
    title="The guardian is against this call",
    severity=Severity.MEDIUM,
    why="A second look at the session did not find that the user asked for this.",
    instead="Do only what the user asked for; tell them what you would do, and let them say so.",
    example="A mail that nobody asked for, in a session into which a web page came, with `guardian.mode: enforce`.",
    about="text",
)
JUDGE_HALF_SEEN: Final = ReasonCode(
    id="guardian.not_sure",
    title="The guardian could not see all of it, or was not sure",
    severity=Severity.MEDIUM,
    why="What is too long to be shown whole could hold anything, so a person decides.",
    instead="Do less at a time.",
    example="A call of more than `guardian.prompt_chars`, in a session into which a web page came.",
    about="text",
)
JUDGE_SILENT: Final = ReasonCode(
    id="guardian.no_answer",
    title="The guardian gave no answer",
    severity=Severity.MEDIUM,
    why="The policy wants a second look at this, and there was none.",
    instead="Try again later, or let the user decide.",
    example="A call in a session into which a web page came, while the guardian's model can't be reached.",
    about="text",
)

REFUSED: Final[dict[Refusal, ReasonCode]] = {
    "denied": DENIED,
    "timeout": TIMEOUT,
    "used": USED,
    "too_late": TOO_LATE,
    "drift": DRIFT,
    "unknown": UNKNOWN_APPROVAL,
    "cancelled": WITHDRAWN,
    "superseded": REPLACED,
    "too_many": TOO_MANY_QUESTIONS,
    "paused": PAUSED,
    "unattended": UNATTENDED,
}
"""What each refusal of the keeper of approvals is called."""

GATE_CODES: Final = (
    FAILED,
    RULE,
    RULE_FAILED,
    INVALID,
    TOO_LARGE,
    DISABLED,
    POLICY_UNREADABLE,
    INTERNAL_ERROR,
    REDACTION_FAILED,
    APPROVED,
    BY_GRANT,
    EDITED,
    EDIT_REFUSED,
    CONDITION,
    CONDITION_UNKNOWN,
    UNSHOWABLE,
    *REFUSED.values(),
    APPROVALS_UNUSABLE,
    AUDIT_UNWRITABLE,
    SESSION_UNWRITABLE,
    MARKERS_UNUSABLE,
    DAEMON_UNREACHABLE,
    JUDGE_CLEARED,
    JUDGE_AGAINST,
    JUDGE_HALF_SEEN,
    JUDGE_SILENT,
)


def found_codes(extra: tuple[Detector, ...] = ()) -> dict[str, ReasonCode]:
    """The codes that findings carry, which configuration can speak of. The gate's own answers are not up to it."""
    found = (code for detector in (*DETECTORS, *extra) for code in detector.codes)
    return {code.id: code for code in (*found, FAILED)}


def catalogue(extra: tuple[Detector, ...] = ()) -> dict[str, ReasonCode]:
    """Every reason code by its id: those of detectors, of the gate, and of the guarded client."""
    from_detectors = [code for detector in (*DETECTORS, *extra) for code in detector.codes]
    return {code.id: code for code in (*from_detectors, *GATE_CODES, *CLIENT_CODES)}
