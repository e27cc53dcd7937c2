"""The table of secrets that Guardhouse knows by their form, one entry a kind, most specific first.

Patterns are RE2 over bytes. The group is what gets masked; the part before it stays, so that a reader still sees
what kind of thing was there. Secrets known only by the name they stand under are in `pairs`. Examples are made up
and put together from pieces, so that scanners of this repository do not take them for leaks.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.secrets.interface import REDACTED_JWT, Category, SecretKind
from guardhouse.model import Confidence

# What may stand before a token: nothing, a character that is not part of a word, an escape as in JSON text or URLs,
# or the end of a terminal colour.
_EDGE: Final = (
    r"(?:^|[^A-Za-z0-9\\%\x1b]|\\(?:[nrtbf]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})?"
    r"|%(?:[0-9A-Fa-f]{2})?|\x1b(?:\[[0-9;]*m)?)"
)
# What must follow a token of fixed length: no more of it.
_END: Final = r"(?:[^A-Za-z0-9]|$)"

_HEX: Final = "a1b2c3d4e5f60718293a4b5c6d7e8f90" * 4
_MIX: Final = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6" * 4
_CAPS: Final = "A1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q7R8S9T0" * 3
_JWT: Final = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJmYWtlIn0." + _MIX[:43]


def _prefixed(
    kind: str,
    what: str,
    anchor: str,
    pattern: str,
    example: str,
    checks: tuple[str, ...] = ("real",),
    proof: str = "",
) -> SecretKind:
    """A kind known by a fixed beginning. Its example cut short must not match."""
    return SecretKind(
        id=kind,
        what=what,
        anchor=anchor,
        pattern=_EDGE + pattern,
        checks=checks,
        proof=proof,
        confidence=Confidence.MEDIUM if proof else Confidence.HIGH,
        matches=(example, f'{{"note": "{example}"}}', f"x {example}, y"),
        misses=(example[:9], example[:9] + "..."),
    )


_SERVICE: Final = (
    r"(?:pplx-|gsk_|r8_|nvapi-|csk-|xai-|jina_|tvly-(?:dev-|prod-)?|fc-|lsv2_(?:pt|sk)_|tgp_v1_|"
    r"tskey-[a-z]+-|HRKU-|rubygems_|pul-|rdme_|pnu_|shippo_(?:live|test)_|FLWSECK(?:_TEST)?-|CLOJARS_|fio-u-|"
    r"tfp_|CFPAT-|CCIPAT_|rnd_|napi_|nfp_|sgp_|bkua_|sm_(?:pat|aat|sat)_|ramp_(?:sec|id|tok)_|"
    r"access-[a-z]+-|sq[pua]_|fm2_|ico-|dnkey-|"
    r"duffel_(?:live|test)_|wandb_v1_|ops_|fw_|rpa_|ph[cx]_|stp_|psk_|pat_|sk_|key_|tok_)"
)
"""How the tokens of many services begin: a name no ordinary word is joined to in this way."""

_BY_PREFIX: Final = (
    # id, what it opens, anchor, pattern, example
    _prefixed("anthropic_api_key", "Anthropic API", "sk-ant-",
              r"sk-ant-(?:[a-z]+[0-9]{2}-)?([A-Za-z0-9_\-]{20,})", "sk-" + "ant-api03-" + _MIX[:93] + "AA",
              ("real", "no_words")),
    _prefixed("openai_api_key", "OpenAI and services with keys of the same form", "sk-",
              r"sk-(?:proj-|svcacct-|admin-|None-|or-v1-|lf-|or-)?([A-Za-z0-9_\-]{20,})", "sk-" + "proj-" + _MIX[:48],
              ("real", "no_words")),
    _prefixed("github_token", "GitHub API and repositories", "gh[pousr]_|github_pat_",
              r"(?:gh[pousr]_|github_pat_)([A-Za-z0-9_]{36,})", "gh" + "p_" + _MIX[:36],
              ("real",), "github_checksum"),
    _prefixed("gitlab_token", "GitLab API, runners and deployments", "gl[a-z]{2,5}-|GR1348941",
              r"(?:gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-|GR1348941)([A-Za-z0-9_\-.=]{20,})",
              "gl" + "pat-" + _MIX[:20]),
    _prefixed("aws_access_key_id", "AWS account", "(?:AKIA|ASIA|ABIA|ACCA|A3T)[A-Z0-9]",
              r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])([A-Z0-9]{16})" + _END, "AK" + "IA" + _CAPS[:16],
              ("real", "aws_id")),
    _prefixed("aws_bedrock_key", "AWS Bedrock", "ABSK|bedrock-api-key-",
              r"(?:ABSK|bedrock-api-key-)([A-Za-z0-9+/]{60,}={0,2})", "AB" + "SK" + _MIX[:110]),
    _prefixed("google_api_key", "Google APIs", "AIza",
              r"AIza([A-Za-z0-9_\-]{35,})", "AI" + "za" + _MIX[:35]),
    _prefixed("google_oauth", "Google OAuth client or session", r"GOCSPX-|ya29\.|1//0",
              r"(?:GOCSPX-|ya29\.|1//0)([A-Za-z0-9_\-.]{24,})", "GOC" + "SPX-" + _MIX[:28], ("real", "mixed")),
    _prefixed("slack_token", "Slack workspace", "xox[a-z]|xapp-",
              r"(?:xox[a-z](?:\.xox[a-z])?-|xapp-)([A-Za-z0-9\-]{10,})", "xo" + "xb-" + "1234567890-" + _MIX[:24],
              ("real", "digit")),
    _prefixed("stripe_key", "Stripe account", "[srp]k_(?:live|test|prod)_|whsec_",
              r"(?:[srp]k_(?:live|test|prod)_|whsec_)([A-Za-z0-9+/=]{10,})", "sk" + "_live_" + _MIX[:24],
              ("real", "mixed")),
    _prefixed("telegram_bot_token", "Telegram bot", "[0-9]{5}:[A-Za-z0-9_\\-]{8}",
              r"[0-9]{5,16}:(A[A-Za-z0-9_\-]{32,}|[A-Za-z0-9_\-]{35})", "123456789" + ":A" + _MIX[:34],
              ("real", "random", "mixed", "no_words")),
    _prefixed("npm_token", "npm registry", "npm_", r"npm_([A-Za-z0-9]{36,})", "np" + "m_" + _MIX[:36]),
    _prefixed("pypi_token", "PyPI uploads", "pypi-", r"pypi-([A-Za-z0-9_\-]{50,})", "py" + "pi-AgE" + _MIX[:60]),
    _prefixed("sendgrid_key", "SendGrid mail", r"SG\.",
              r"SG\.([A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,})", "SG" + "." + _MIX[:22] + "." + _MIX[:43]),
    _prefixed("twilio_key", "Twilio API key", "SK[0-9a-f]{4}", r"SK([0-9a-f]{32})" + _END, "S" + "K" + _HEX[:32]),
    _prefixed("huggingface_token", "Hugging Face hub", "hf_|api_org_",
              r"(?:hf_|api_org_)([A-Za-z0-9]{30,})", "h" + "f_" + _MIX[:34]),
    _prefixed("digitalocean_token", "DigitalOcean account", "do[opr]_v1_",
              r"do[opr]_v1_([a-f0-9]{64})", "do" + "p_v1_" + _HEX[:64]),
    _prefixed("databricks_token", "Databricks workspace", "dapi[a-f0-9]|dose[a-f0-9]",
              r"(?:dapi|dose)([a-f0-9]{32}(?:-[0-9]+)?)" + _END, "da" + "pi" + _HEX[:32]),
    _prefixed("discord_bot_token", "Discord bot", r"\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{8}",
              r"[MNO]([A-Za-z0-9_\-]{23,28}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,})",
              "M" + _MIX[:23] + "." + "G1a2b3" + "." + _MIX[:27], ("real", "very_random")),
    _prefixed("discord_webhook", "Discord channel", "/api/webhooks/",
              r"discord(?:app)?\.com/api/webhooks/[0-9]+/([A-Za-z0-9_\-]{40,})",
              "discord.com" + "/api/webhooks/1234567890/" + _MIX[:68]),
    _prefixed("docker_token", "Docker Hub or swarm", "dckr_|SWM(?:TKN|KEY)-",
              r"(?:dckr_(?:pat|oat)_|SWMTKN-1-|SWMKEY-1-)([A-Za-z0-9_\-+/]{20,})", "dck" + "r_pat_" + _MIX[:27],
              ("random",)),
    _prefixed("shopify_token", "Shopify shop or app", "shp[a-z]{2,3}_",
              r"shp[a-z]{2,3}_([A-Za-z0-9]{32,})", "shp" + "at_" + _HEX[:32]),
    _prefixed("square_token", "Square payments", "sq0[a-z]{3}-",
              r"sq0[a-z]{3}-([A-Za-z0-9_\-+=]{22,})", "sq0" + "atp-" + _MIX[:22], ("real", "mixed")),
    _prefixed("easypost_key", "EasyPost shipping", "EZ[AT]K",
              r"EZ[AT]K([A-Za-z0-9]{54})" + _END, "EZ" + "AK" + _MIX[:54]),
    _prefixed("razorpay_key", "Razorpay payments", "rzp_", r"rzp_(?:live|test)_([A-Za-z0-9]{14,})",
              "rz" + "p_live_" + _MIX[:14]),
    _prefixed("facebook_token", "Meta graph API and others with tokens of the same form", r"EAA[A-Za-z0-9_\-]{8}",
              r"EAA([A-Za-z0-9_\-]{58,})\b", "EA" + "A" + _MIX[:120],
              ("real", "very_random")),
    _prefixed("mailgun_key", "Mailgun mail", "key-[0-9a-f]{4}",
              r"(?:pub)?key-([0-9a-f]{32})" + _END, "ke" + "y-" + _HEX[:32]),
    _prefixed("mailchimp_key", "Mailchimp lists", "[0-9a-f]{8}-us[0-9]",
              r"([0-9a-f]{32}-us[0-9]{1,2})" + _END, _HEX[:32] + "-us12"),
    _prefixed("brevo_key", "Brevo mail", "xkeysib-|xsmtpsib-",
              r"x(?:key|smtp)sib-([a-f0-9]{64}-[A-Za-z0-9]{16})", "xkey" + "sib-" + _HEX[:64] + "-" + _MIX[:16]),
    _prefixed("newrelic_key", "New Relic account", "NR(?:AK|JS|II|IQ|RA|BR|SP|AL)",
              r"NR(?:AK|JS|II|IQ|RA|BR|SP)-([A-Za-z0-9_\-]{16,})", "NR" + "AK-" + _CAPS[:27], ("random",)),
    _prefixed("newrelic_license", "New Relic account", "NRAL", r"([A-Za-z0-9]{30,38}NRAL)" + _END,
              _HEX[:36] + "NR" + "AL", ()),
    _prefixed("vault_token", "HashiCorp Vault", r"[sbr]\.[A-Za-z0-9_\-]{24}",
              r"(?:hv[sbr]|[sbr])\.([A-Za-z0-9_\-]{24,})", "hv" + "s." + _MIX[:28], ("real", "very_random")),
    _prefixed("terraform_token", "Terraform Cloud", r"\.atlasv1\.",
              r"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{60,})", _MIX[:14] + ".atlas" + "v1." + _MIX[:67]),
    _prefixed("atlassian_token", "Atlassian cloud", "AT[AC]TT3|ATBB|ATST",
              r"(?:AT[AC]TT3|ATBB|ATSTT3)([A-Za-z0-9_\-=]{20,})", "ATA" + "TT3" + _MIX[:180]),
    _prefixed("linear_token", "Linear workspace", "lin_(?:api|oauth)_",
              r"lin_(?:api|oauth)_([A-Za-z0-9]{32,})", "lin" + "_api_" + _MIX[:40]),
    _prefixed("figma_token", "Figma files", "fig[a-z]{1,2}_",
              r"fig[doru][hr]?_([A-Za-z0-9_\-]{30,})", "fig" + "d_" + _MIX[:40]),
    _prefixed("notion_token", "Notion workspace", "secret_|ntn_",
              r"(?:secret|ntn)_([A-Za-z0-9]{40,})", "nt" + "n_" + _MIX[:46], ("real", "mixed")),
    _prefixed("age_secret_key", "files encrypted with age", "AGE-SECRET-KEY-",
              r"AGE-SECRET-KEY-1([0-9A-Za-z]{50,})", "AGE-" + "SECRET-KEY-1" + _CAPS[:58]),
    _prefixed("grafana_token", "Grafana", "gl(?:c|sa)_|eyJrIjoi",
              r"(?:gl(?:c|sa)_|eyJrIjoi)([A-Za-z0-9+/_]{30,}={0,2})", "gl" + "sa_" + _MIX[:32] + "_" + _HEX[:8]),
    _prefixed("sentry_token", "Sentry", "sntry[a-z]_",
              r"sntry[a-z]_([A-Za-z0-9_+/=.\-]{40,})", "sntr" + "yu_" + _HEX[:64]),
    _prefixed("planetscale_secret", "PlanetScale database", "pscale_",
              r"pscale_(?:tkn|oauth|pw|app_secret)_([A-Za-z0-9_\-=.]{30,})", "pscale" + "_tkn_" + _MIX[:43]),
    _prefixed("dynatrace_token", "Dynatrace", r"dt0[a-z][0-9]{2}\.",
              r"dt0[a-z][0-9]{2}\.([A-Z0-9]{24}\.[A-Z0-9]{64})", "dt0" + "c01." + _CAPS[:24] + "." + _CAPS[:64]),
    _prefixed("postman_key", "Postman", "PMAK-", r"PMAK-([A-Za-z0-9]{24}-[A-Za-z0-9]{34})",
              "PM" + "AK-" + _HEX[:24] + "-" + _HEX[:34]),
    _prefixed("doppler_token", "Doppler secrets", r"dp\.[a-z]{2,5}\.",
              r"dp\.(?:pt|st|ct|sa|scim|audit)\.([A-Za-z0-9_.\-]{40,})", "d" + "p.pt." + _MIX[:43]),
    _prefixed("airtable_token", "Airtable bases", r"pat[A-Za-z0-9]{14}\.",
              r"pat([A-Za-z0-9]{14}\.[a-f0-9]{64})" + _END, "pa" + "t" + _MIX[:14] + "." + _HEX[:64]),
    _prefixed("mapbox_token", "Mapbox", r"[spt]k\.eyJ",
              r"[spt]k\.(eyJ[A-Za-z0-9_\-]{20,}\.[A-Za-z0-9_\-]{20,})",
              "sk" + ".ey" + "J" + _MIX[:60] + "." + _MIX[:22]),
    _prefixed("jfrog_token", "JFrog Artifactory", "AKCp|cmVmdGtu",
              r"(?:AKCp|cmVmdGtu)([A-Za-z0-9]{50,})", "AK" + "Cp" + _MIX[:69]),
    _prefixed("supabase_key", "Supabase project", "sbp_|sb_secret_",
              r"(?:sbp_|sb_secret_)(?:oauth_|v0_)?([A-Za-z0-9_\-]{30,})", "sb" + "p_" + _HEX[:40]),
    _prefixed("azure_client_secret", "Entra ID application", "[0-9]Q~",
              r"([A-Za-z0-9_~.\-]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,36})", "a1B" + "8Q~" + _MIX[:34]),
    _prefixed("slack_webhook", "Slack channel", r"hooks\.slack(?:-gov)?\.com/",
              r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+]{20,})",
              "hooks.slack" + ".com/services/T" + _CAPS[:8] + "/B" + _CAPS[:8] + "/" + _MIX[:24]),
    _prefixed("webhook_url", "a chat room or an automation",
              r"webhook\.office\.com/|/hooks/|/open-apis/bot/",
              r"(?:webhook\.office\.com/webhookb2/|hooks\.zapier\.com/hooks/catch/|/open-apis/bot/v2/hook/|/hooks/)"
              r"([A-Za-z0-9@/\-]{12,})", "hooks.zapier" + ".com/hooks/catch/1234567/" + _MIX[:8], ("real", "digit")),
    _prefixed("environment_key", "a service that only says for which environment the key is", "(?:live|test)_",
              r"(?:live|test)_(?:pub_)?([A-Za-z0-9_\-=.]{22,})", "li" + "ve_" + _MIX[:40],
              ("real", "mixed", "random", "long_run")),
    _prefixed("service_token", "a service whose tokens begin with its name", _SERVICE,
              _SERVICE + r"([A-Za-z0-9_\-=.]{22,})", "gs" + "k_" + _MIX[:52],
              ("real", "mixed", "random", "no_words")),
)  # fmt: skip


def _before_group(pattern: str) -> str:
    """The part of a pattern before its capturing group."""
    at = pattern.find("(")
    while at >= 0 and pattern[at + 1 : at + 2] == "?":
        at = pattern.find("(", at + 1)
    return pattern if at < 0 else pattern[:at]


PREFIXES: Final = tuple(head for kind in _BY_PREFIX if (head := _before_group(kind.pattern)) != _EDGE)
"""What the tokens of each kind begin with, as patterns: the part that stays when they are masked."""

_BY_FORM: Final = (
    SecretKind(
        id="azure_key",
        what="an Azure service whose keys carry its signature",
        anchor="JQQJ9|AZDO|AzFu|AzSe|AzCa|ACDb|ASt|APIM|AIoT|AEh|ARm",
        pattern=(
            r"(?:^|[^A-Za-z0-9/+=]|[A-Za-z]=)"
            r"([A-Za-z0-9/+]{32,76}(?:JQQJ9|AZDO|AzFu|AzSe|AzCa|ACDb|ASt|APIM|AIoT|AEh|ARm)[A-Za-z0-9/+]{4,36}={0,2})"
            r"(?:[^A-Za-z0-9/+=]|$)"
        ),
        checks=("real", "very_random"),
        matches=("key " + _MIX[:52] + "JQQ" + "J99" + _CAPS[:26] + ".",),
        misses=("data:image/png;base64," + _MIX + "ASt" + _MIX,),
    ),
    SecretKind(
        id="private_key",
        what="whatever accepts the key's owner",
        anchor="BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY",
        pattern=(
            r"-----? ?BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)? ?-----?"
            r"((?:[^\-]|-{1,3}[^\-])+)-----? ?END"
        ),
        checks=("key_body",),
        category=Category.PRIVATE_KEY,
        matches=(
            "-----BEGIN RSA " + "PRIVATE KEY-----\n" + _MIX[:64] + "\nabc=\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN " + "PRIVATE KEY-----\\n" + _MIX[:64] + "\\n-----END PRIVATE KEY-----",
        ),
        misses=("-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",),
    ),
    SecretKind(
        id="private_key_part",
        what="whatever accepts the key's owner; the end of the key is missing",
        anchor="BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY",
        pattern=(
            r"-----? ?BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)? ?-----?"
            r"((?:[\s\\\"'`+,|>]|[A-Za-z0-9+/=]{12,}|(?:Proc-Type|DEK-Info|Comment|Version|Subject|Key-Attributes)"
            r": ?[^\n\\]{0,99})+[A-Za-z0-9+/=]{0,12})"
        ),
        checks=("key_body",),
        category=Category.PRIVATE_KEY,
        matches=("-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + _MIX[:64] + "\n" + _MIX[:30],),
        misses=("files start with -----BEGIN RSA PRIVATE KEY----- and then the encoded key",),
    ),
    SecretKind(
        id="putty_private_key",
        what="whatever accepts the key's owner",
        anchor="Private-Lines:",
        pattern=r"Private-Lines: [0-9]+((?:(?:\r?\n|(?:\\+r)?\\+n)[A-Za-z0-9+/=]{4,})+)",
        category=Category.PRIVATE_KEY,
        matches=("Private-Lines: 2\n" + _MIX[:64] + "\n" + _MIX[:20] + "==\n",),
        misses=("Private-Lines: 2\n",),
    ),
    SecretKind(
        id="encoded_private_key",
        what="whatever accepts the key's owner; the key is in base64, as in a kubeconfig",
        anchor="LS0tLS1CRUdJTiB",
        pattern=r"LS0tLS1CRUdJTiB((?:QUklW|SU0Eg|FQyBQ|PUEVO|FTkNS|EU0Eg|QR1Ag)[A-Za-z0-9+/=_\-]{40,})",
        category=Category.PRIVATE_KEY,
        matches=("client-key-data: " + "LS0tLS1CRUdJTiB" + "SU0Eg" + _MIX[:120],),
        misses=("certificate-authority-data: " + "LS0tLS1CRUdJTiB" + "DRVJU" + _MIX[:120],),
    ),
    SecretKind(
        id="jwt",
        what="a session or an API, until it expires",
        anchor=r"ey[IJ]",
        pattern=_EDGE + r"(ey[IJ][A-Za-z0-9_\-]{8,}={0,2}\.[A-Za-z0-9_\-]{8,}={0,2}(?:\.[A-Za-z0-9_\-]*={0,2}){1,3})",
        checks=("jwt",),
        mask=REDACTED_JWT,
        category=Category.TOKEN,
        matches=(f"token={_JWT}", f'{{"jwt":"{_JWT}"}}', f"https://a.example/?t={_JWT}&x=1"),
        misses=("eyJust.reading.this", _JWT[:20]),
    ),
    SecretKind(
        id="gcp_service_account_key",
        what="Google Cloud, as the service account",
        anchor="private_key_id",
        pattern=r'private_key_id\\*"?\s*[:=]\s*\\*["\']?([0-9a-f]{40})',
        matches=('{"type": "service_account", "private_key_id": "' + _HEX[:40] + '"}',),
        misses=('{"private_key_id": "see the vault"}',),
    ),
    SecretKind(
        id="azure_storage_key",
        what="Azure storage, service bus or app configuration",
        anchor="(?i)(?:Account|AccessPolicy|SharedAccess)?Key=|Secret=",
        pattern=r"(?i)(?:AccountKey|SharedAccessKey|Secret)=([A-Za-z0-9+/%]{36,}={0,2})",
        checks=("real", "random"),
        matches=("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + _MIX[:86] + "==;Suffix=b",),
        misses=("AccountName=a;AccountKey=X;",),
    ),
    SecretKind(
        id="signed_url",
        what="one object in a cloud store, until the signature expires",
        anchor="(?i)[?&;](?:sig|x-(?:amz|goog)-(?:signature|security-token))=",
        pattern=r"(?i)[?&;](?:sig|X-(?:Amz|Goog)-(?:Signature|Security-Token))=([A-Za-z0-9%+/_\-]{24,}=?)",
        checks=("real", "random"),
        category=Category.TOKEN,
        matches=("https://a.example/b?se=2030&sig=" + _MIX[:43] + "%3D&sp=r",),
        misses=("https://a.example/b?sig=short",),
    ),
    SecretKind(
        id="url_password",
        what="the server that the URL names",
        anchor="://[^\\s/@:]*:",
        pattern=r"[A-Za-z][A-Za-z0-9+.\-]{1,30}://[^\s/@:\"'<>?#]*:([^\s/@\"'<>`]+(?:@[^\s/@\"'<>`.:,?&=]+)*)@",
        checks=("url_password",),
        category=Category.PASSWORD,
        matches=(
            "postgres://user:" + "tr0ub4dor" + "@db.example/app",
            "mongodb+srv://u:" + "p%40ss9word" + "@c.example",
            '"redis://:' + "s3cretish9" + '@cache:6379/0"',
        ),
        misses=(
            "https://example.org:8080/a@b",
            "postgres://user:${DB_PASSWORD}@db/app",
            "amqp://user:*****@example.org",
            "postgres://user:password@localhost/app",
        ),
    ),
    SecretKind(
        id="url_token",
        what="the server that the URL names",
        anchor="://[A-Za-z0-9_\\-]{20}",
        pattern=r"[A-Za-z][A-Za-z0-9+.\-]{1,30}://([A-Za-z0-9_\-]{20,})(?::x-oauth-basic)?@",
        checks=("real", "mixed"),
        category=Category.PASSWORD,
        matches=("https://" + _HEX[:32] + "@sentry.example/1",),
        misses=("https://user@host.example/",),
    ),
    SecretKind(
        id="authorization_header",
        what="the API that the request goes to",
        anchor="(?i)bearer|basic|authorization",
        pattern=(
            r"(?i)\b(?:bearer|basic|authorization(?:\\*[\"'])?\s*[:=,]\s*(?:\\*[\"'`])?(?:[A-Za-z][A-Za-z\-]{1,15})?)"
            r"(?::|\s|%20|\\*[\"']\s*[+,]\s*\\*[\"'])+(?:token=)?([A-Za-z0-9_\-.+/=~:%|]{12,})"
        ),
        checks=("header_value",),
        category=Category.TOKEN,
        matches=(
            "Authorization: Bearer " + _MIX[:30],
            'curl -H "Authorization: Basic ' + "dXNlcjpodW50" + 'ZXIyaHVudGVy"',
            '"Authorization": "token ' + _HEX[:40] + '"',
        ),
        misses=("Authorization: Bearer $TOKEN", "basic understanding-of-things", "Authorization: Bearer <token>"),
    ),
    SecretKind(
        id="cookie",
        what="a signed-in session",
        anchor="(?i)cookie",
        pattern=(
            r"(?i)cookie(?:\\*[\"'])?\s*[:=,]\s*(?:\\*[\"'`])?"
            r"[\w.\-]{1,64}=([^\s;\"'`\\]{16,}(?:; ?[\w.\-]{1,64}=[^\s;\"'`\\]+)*)"
        ),
        checks=("real", "mixed"),
        category=Category.SESSION,
        confidence=Confidence.MEDIUM,
        matches=("Cookie: sid=" + _MIX[:32] + "; theme=dark", "Set-Cookie: session=" + _MIX[:32] + "; Path=/"),
        misses=("Cookie: theme=dark", "cookie: <value>"),
    ),
    SecretKind(
        id="session_cookie",
        what="a signed-in session",
        anchor="(?i)sess|sid=",
        pattern=(
            r"(?i)\b(?:phpsessid|jsessionid|sessionid|session_id|connect\.sid|asp\.net_sessionid|_session|sid)="
            r"([A-Za-z0-9%._\-]{16,})"
        ),
        checks=("real", "mixed"),
        category=Category.SESSION,
        confidence=Confidence.MEDIUM,
        matches=("GET /a?PHPSESSID=" + _HEX[:26],),
        misses=("sid=12",),
    ),
    SecretKind(
        id="command_line_login",
        what="the server that the command talks to",
        anchor=r"(?i)\s-u|--(?:proxy-)?user|userpwd",
        pattern=(
            r"(?i)(?:\s-u\s?|--(?:proxy-)?user[ =]|userpwd(?:\\*[\"'])?\s*[,=]\s*)"
            r"(?:\\*[\"'])?[A-Za-z0-9_.@\-{}]{0,64}[\"']?:[\"']?([^\s\"'`\\]{3,})"
        ),
        checks=("login_password",),
        category=Category.PASSWORD,
        confidence=Confidence.MEDIUM,
        matches=("curl -u admin:" + "s3cret-ish9" + " https://a.example",),
        misses=("curl -u user:$PASSWORD https://a.example", "docker run -u 1000:1000 image"),
    ),
    SecretKind(
        id="vault_unseal_key",
        what="a HashiCorp Vault",
        anchor="(?i)unseal key|root token",
        pattern=r"(?i)(?:unseal key(?: \d{1,2})?|root token)\s*[:=]\s*([A-Za-z0-9+/=._\-]{20,})",
        checks=("real",),
        matches=("Unseal Key 1: " + _MIX[:43] + "=",),
        misses=("Unseal Key Shares: 5",),
    ),
    SecretKind(
        id="netrc_password",
        what="the machine that the line names",
        anchor=r"machine\s",
        pattern=r"machine\s+\S{1,255}\s+login\s+\S{1,255}\s+password\s+(\S+)",
        checks=("login_password", "digit"),
        category=Category.PASSWORD,
        matches=("machine a.example login me password " + "s3cret-ish9",),
        misses=("machine learning login page password policy",),
    ),
    SecretKind(
        id="unknown_service_token",
        what="a service whose tokens begin with its name",
        anchor=r"[_\-][A-Za-z0-9]{32}",
        pattern=(
            # After a digit and a sign, as in `sha256=`, it is a hash.
            r"(?:^|[^A-Za-z0-9_\-+/.=:]|(?:^|[^0-9])[=:])((?:[a-z]{2,10}|[A-Z]{2,10})[0-9]?(?:[_\-][A-Za-z0-9]{1,10}){0,2}[_\-][A-Za-z0-9]{32,})"
            r"(?:[^A-Za-z0-9+/.]|\.?$|\.\s)"
        ),
        checks=("unknown_token",),
        fallback=True,
        confidence=Confidence.MEDIUM,
        matches=("use acme_" + _MIX[:40] + " here", "acme-live-" + _MIX[:40]),
        misses=(
            "sha512-" + _MIX[:86] + "==",
            "a.py,sha256=DO-" + _MIX[:40] + ",5",
            "toolu_" + _MIX[:40],
            "app-" + _HEX[:40] + ".js",
        ),
    ),
    SecretKind(
        id="npmrc_auth",
        what="an npm registry",
        anchor="(?i)_auth",
        pattern=r"(?i)(?:^|[\s:])_auth(?:token)? ?= ?\\*[\"']?([A-Za-z0-9+/=_\-]{16,})",
        checks=("real", "mixed", "random"),
        matches=("//r.example/:_authToken=" + _HEX[:36],),
        misses=("//r.example/:_authToken=${NPM_TOKEN}", "CLIENT_AUTH = ObjectIdentifier(1)"),
    ),
)

KINDS: Final = _BY_PREFIX + _BY_FORM
"""Every kind known by its form. Where two overlap, the one that stands first here names the match."""
