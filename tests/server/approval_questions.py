"""A question to a person, as the gate puts one to the keeper of approvals."""

from guardhouse.model import Asked, RiskLevel, ToolCallPre, bind, wire


def question(command="make deploy"):
    action = ToolCallPre(tool="bash", params={"command": command}, session_id="s1")
    return Asked(
        bound=bind(action, {}),
        resume=b"{}",
        action_type=action.type,
        tool_name="bash",
        session_id="s1",
        run_id=None,
        principal=None,
        action_summary_redacted="bash: make deploy",
        action_redacted=wire(action),
        risk_level=RiskLevel.HIGH,
        reasons=(),
        codes=("shell.unknown",),
        policy_revision="1",
    )
