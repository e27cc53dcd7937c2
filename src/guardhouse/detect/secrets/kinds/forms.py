"""Secrets with a form of their own that is more than a beginning: keys in blocks, URLs, headers, tokens in parts.

Most specific first. The group of a pattern is what gets masked; the part before it stays, so that a reader still sees
what kind of thing was there. Examples are made up and put together from pieces, so that scanners of this repository do
not take them for leaks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.secrets.interface import Category, Pass, SecretKind
from guardhouse.detect.secrets.kinds.rows import EDGE, END
from guardhouse.detect.secrets.masks import REDACTED_JWT
from guardhouse.model import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

KEY_BEGINS: Final = r"BEGIN(?:\s|%20|\+){1,3}(?:[A-Z0-9]{1,12}(?:\s|%20|\+){1,3}){0,4}PRIVATE(?:\s|%20|\+){1,3}KEY"
"""How the block of a private key begins; in a URL or a form, too."""


def _key_spans(data: bytes, ends: Sequence[int]) -> Iterable[tuple[int, int, int]]:
    from guardhouse.detect.secrets.private_keys import key_spans  # few texts have one

    return key_spans(data, ends)


_HEX: Final = "a1b2c3d4e5f60718293a4b5c6d7e8f90" * 4
_MIX: Final = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6" * 4
_CAPS: Final = "A1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q7R8S9T0" * 3
_JWT: Final = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJmYWtlIn0." + _MIX[:43]

FORMS: Final = (
    SecretKind(
        id="telegram_bot_token",
        what="Telegram bot",
        look=Pass.NAMES,
        anchor=r"[0-9]{5}:[A-Za-z0-9_\-]{8}",
        trigger=r"[0-9]{5}:[A-Za-z0-9_\-]{33}",
        pattern=EDGE + r"[0-9]{5,16}:(A[A-Za-z0-9_\-]{32,}|[A-Za-z0-9_\-]{35})",
        checks=("real", "random", "mixed", "no_words"),
        matches=("bot 123456789" + ":A" + _MIX[:34],),
        misses=("12345678:" + _HEX[:20],),
    ),
    SecretKind(
        id="twilio_key",
        what="Twilio API key",
        anchor="SK[0-9a-f]{8}",
        trigger="SK[0-9a-f]{32}",
        pattern=EDGE + r"SK([0-9a-f]{32})" + END,
        checks=("real",),
        matches=("S" + "K" + _HEX[:32],),
        misses=("SK" + _HEX[:20],),
    ),
    SecretKind(
        id="discord_bot_token",
        what="Discord bot",
        look=Pass.SHAPES,
        anchor=r"\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{8}",
        trigger=r"[A-Za-z0-9_\-]{16}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27}",
        pattern=EDGE + r"[MNO]([A-Za-z0-9_\-]{23,28}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,})",
        before=96,
        checks=("real", "very_random"),
        matches=("M" + _MIX[:23] + "." + "G1a2b3" + "." + _MIX[:27],),
        misses=("com.example.tested.SomeVeryLongClassNameInJava",),
    ),
    SecretKind(
        id="mailchimp_key",
        what="Mailchimp lists",
        anchor="[0-9a-f]{8}-us[0-9]",
        trigger="[0-9a-f]{32}-us[0-9]",
        pattern=EDGE + r"([0-9a-f]{32}-us[0-9]{1,2})" + END,
        checks=("real",),
        matches=(_HEX[:32] + "-us12",),
        misses=("build a1b2c3d4-us1",),
    ),
    SecretKind(
        id="newrelic_license",
        what="New Relic account",
        anchor="NRAL",
        trigger="[A-Za-z0-9]{30}NRAL",
        pattern=EDGE + r"([A-Za-z0-9]{30,38}NRAL)" + END,
        matches=(_HEX[:36] + "NR" + "AL",),
        misses=("NRAL",),
    ),
    SecretKind(
        id="newrelic_mobile_token",
        what="New Relic mobile application",
        anchor="-NRMA",
        trigger="[0-9a-z]{40}-NRMA",
        pattern=EDGE + r"([A-Za-z0-9]{40,44}-NRMA)" + END,
        matches=("AA" + _HEX[:40] + "-NR" + "MA",),
        misses=("-NRMA",),
    ),
    SecretKind(
        id="vault_token",
        what="HashiCorp Vault",
        look=Pass.NAMES,
        anchor=r"(?:hv[sbr]|^[sbr]|[^A-Za-z0-9_.\])][sbr])\.[A-Za-z0-9_\-]{24}",
        pattern=r"(?:hv[sbr]|^[sbr]|[^A-Za-z0-9_.\])][sbr])\.([A-Za-z0-9_\-]{24,})",
        checks=("real", "very_random"),
        matches=("hv" + "s." + _MIX[:28], "X-Vault: s." + _MIX[:24]),
        misses=("s.getElementsByClassNameAndSoOn",),
    ),
    SecretKind(
        id="terraform_token",
        what="Terraform Cloud",
        anchor=r"\.atlasv1\.",
        pattern=EDGE + r"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{60,})",
        checks=("real",),
        matches=(_MIX[:14] + ".atlas" + "v1." + _MIX[:67],),
        misses=("token.atlasv1.short",),
    ),
    SecretKind(
        id="airtable_token",
        what="Airtable bases",
        anchor=r"pat[A-Za-z0-9]{14}\.",
        trigger=r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",
        pattern=EDGE + r"pat([A-Za-z0-9]{14}\.[a-f0-9]{64})" + END,
        before=96,
        checks=("real",),
        matches=("pa" + "t" + _MIX[:14] + "." + _HEX[:64],),
        misses=("pathOfSomethingX.md",),
    ),
    SecretKind(
        id="azure_client_secret",
        what="Entra ID application",
        anchor="[0-9]Q~",
        trigger=r"[A-Za-z0-9_~.\-]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31}",
        pattern=EDGE + r"([A-Za-z0-9_~.\-]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,36})",
        checks=("real",),
        matches=("a1B" + "8Q~" + _MIX[:34],),
        misses=("see 8Q~",),
    ),
    SecretKind(
        id="webhook_url",
        what="a chat room or an automation",
        anchor=r"webhook\.office\.com/|/hooks/|/open-apis/bot/|webhook\.site/|/webhook/send\?key=|/robot/send\?",
        pattern=(
            r"(?:webhook\.office\.com/webhookb2/|hooks\.zapier\.com/hooks/catch/|/open-apis/bot/v2/hook/|/hooks/"
            r"|webhook\.site/|/webhook/send\?key=|/robot/send\?access_token=)([A-Za-z0-9@/\-]{12,})"
        ),
        checks=("real", "digit"),
        matches=("https://hooks.zapier" + ".com/hooks/catch/1234567/" + _MIX[:8],),
        misses=("https://a.example/hooks/on-push",),
    ),
    SecretKind(
        id="azure_key",
        what="an Azure service whose keys carry its signature",
        anchor="JQQJ9|AZDO|AzFu|AzSe|AzCa|ACDb|ASt|APIM|AIoT|AEh|ARm",
        trigger="[A-Za-z0-9/+]{32}(?:JQQJ9|AZDO|AzFu|AzSe|AzCa|ACDb|ASt|APIM|AIoT|AEh|ARm)[A-Za-z0-9/+]{4}",
        before=128,
        after=64,
        pattern=(
            r"(?:^|[^A-Za-z0-9/+=]|[A-Za-z]=)"
            r"([A-Za-z0-9/+]{32,76}(?:JQQJ9|AZDO|AzFu|AzSe|AzCa|ACDb|ASt|APIM|AIoT|AEh|ARm)[A-Za-z0-9/+]{4,36}={0,2})"
            r"(?:[^A-Za-z0-9/+=]|$)"
        ),
        checks=("real", "very_random", "no_pem_line"),
        matches=("key " + _MIX[:52] + "JQQ" + "J99" + _CAPS[:26] + ".",),
        misses=("data:image/png;base64," + _MIX + "ASt" + _MIX,),
    ),
    SecretKind(
        id="private_key",
        what="whatever accepts the key's owner",
        anchor="PRIVATE(?:\\s|%20|\\+){1,3}KEY",
        spans=_key_spans,
        category=Category.PRIVATE_KEY,
        matches=(
            "-----BEGIN RSA " + "PRIVATE KEY-----\n" + _MIX[:64] + "\nabc=\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN " + "PRIVATE KEY-----\\n" + _MIX[:64] + "\\n-----END PRIVATE KEY-----",
            "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + _MIX[:64] + "\n" + _MIX[:30],
        ),
        misses=(
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
            "files start with -----BEGIN RSA PRIVATE KEY----- and then the encoded key",
        ),
    ),
    SecretKind(
        id="putty_private_key",
        what="whatever accepts the key's owner",
        anchor="Private-Lines:",
        before=16,
        after=0,
        pattern=r"Private-Lines: [0-9]+((?:(?:\r?\n|(?:\\+r)?\\+n)[A-Za-z0-9+/=]{4,})+)",
        category=Category.PRIVATE_KEY,
        matches=("Private-Lines: 2\n" + _MIX[:64] + "\n" + _MIX[:20] + "==\n",),
        misses=("Private-Lines: 2\n",),
    ),
    SecretKind(
        id="encoded_private_key",
        what="whatever accepts the key's owner; the key is in base64, as in a kubeconfig",
        anchor="LS0tLS1CRUdJTiB",
        before=16,
        pattern=r"LS0tLS1CRUdJTiB((?:QUklW|SU0Eg|FQyBQ|PUEVO|FTkNS|EU0Eg|QR1Ag)[A-Za-z0-9+/=_\-]{40,})",
        category=Category.PRIVATE_KEY,
        matches=("client-key-data: " + "LS0tLS1CRUdJTiB" + "SU0Eg" + _MIX[:120],),
        misses=("certificate-authority-data: " + "LS0tLS1CRUdJTiB" + "DRVJU" + _MIX[:120],),
    ),
    SecretKind(
        id="jwt",
        what="a session or an API, until it expires",
        anchor=r"ey[IJ]",
        trigger=r"ey[IJ][A-Za-z0-9_\-]{10}",
        after=65536,
        pattern=EDGE + r"(ey[IJ][A-Za-z0-9_\-]{8,}={0,2}\.[A-Za-z0-9_\-]{8,}={0,2}(?:\.[A-Za-z0-9_\-]*={0,2}){1,3})",
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
        by_context=True,
        matches=('{"type": "service_account", "private_key_id": "' + _HEX[:40] + '"}',),
        misses=('{"private_key_id": "see the vault"}',),
    ),
    SecretKind(
        id="azure_storage_key",
        what="Azure storage, service bus or app configuration",
        anchor="(?i)(?:Account|AccessPolicy|SharedAccess)?Key=|Secret=",
        trigger="(?i)(?:AccountKey|SharedAccessKey|Secret)=[A-Za-z0-9+/%]{36}",
        pattern=r"(?i)(?:AccountKey|SharedAccessKey|Secret)=([A-Za-z0-9+/%]{36,}={0,2})",
        checks=("real", "random"),
        by_context=True,
        matches=("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + _MIX[:86] + "==;Suffix=b",),
        misses=("AccountName=a;AccountKey=X;",),
    ),
    SecretKind(
        id="signed_url",
        what="one object in a cloud store, until the signature expires",
        anchor="(?i)[?&;](?:sig|x-(?:amz|goog)-(?:signature|security-token))=",
        trigger=r"(?i)[?&;](?:sig|x-(?:amz|goog)-(?:signature|security-token))=[A-Za-z0-9%+/_\-]{24}",
        pattern=r"(?i)[?&;](?:sig|X-(?:Amz|Goog)-(?:Signature|Security-Token))=([A-Za-z0-9%+/_\-]{24,}=?)",
        checks=("real", "random"),
        category=Category.TOKEN,
        by_context=True,
        matches=("https://a.example/b?se=2030&sig=" + _MIX[:43] + "%3D&sp=r",),
        misses=("https://a.example/b?sig=short",),
    ),
    SecretKind(
        id="url_password",
        what="the server that the URL names",
        anchor=r":\\?/\\?/[^\s/@:]{0,128}:",
        trigger=r":\\?/\\?/[^\s/@:\"'<>?#]{0,128}:[^\s/@\"'<>`]{1,256}@",
        before=448,
        after=256,
        pattern=r"[A-Za-z][A-Za-z0-9+.\-]{1,30}:\\?/\\?/[^\s/@:\"'<>?#]{0,128}:([^\s/@\"'<>`]+(?:@[^\s/@\"'<>`.:,?&=]+)*)@",
        checks=("url_password",),
        category=Category.PASSWORD,
        by_context=True,
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
        trigger=r"://[A-Za-z0-9_\-]{20,200}(?::x-oauth-basic)?@",
        before=264,
        after=4,
        pattern=r"[A-Za-z][A-Za-z0-9+.\-]{1,30}://([A-Za-z0-9_\-]{20,})(?::x-oauth-basic)?@",
        checks=("real", "mixed"),
        category=Category.PASSWORD,
        by_context=True,
        matches=("https://" + _HEX[:32] + "@sentry.example/1",),
        misses=("https://user@host.example/",),
    ),
    SecretKind(
        id="authorization_header",
        what="the API that the request goes to",
        anchor="(?i)bearer|basic|authorization",
        trigger=(
            r"(?i)(?:bearer|basic|authorization)[\"'`\\:=,\s%20+]{1,16}(?:[a-z\-]{2,16}[\"'`\\:=,\s%+]{1,8})?"
            r"(?:\[redacted[a-z_:0-9]{0,13}\])?"
            r"[A-Za-z0-9_\-.+/=~:%|]{12}"
        ),
        before=128,
        pattern=(
            r"(?i)\b(?:bearer|basic|authorization(?:\\*[\"'])?\s*[:=,]\s*(?:\\*[\"'`])?(?:[A-Za-z][A-Za-z\-]{1,15})?)"
            r"(?::|\s|%20|\\*[\"']\s*[+,]\s*\\*[\"'])+(?:token=)?((?:\[redacted[a-z_:0-9]{0,13}\])?[A-Za-z0-9_\-.+/=~:%|]{12,})"
        ),
        checks=("header_value",),
        category=Category.TOKEN,
        by_context=True,
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
        trigger=(r"(?i)cookie[\"'\\]{0,4}\s{0,4}[:=,]\s{0,4}[\"'`\\]{0,3}[\w.\-]{1,64}=[^\s;\"'`\\]{16}"),
        before=160,
        pattern=(
            r"(?i)cookie(?:\\*[\"'])?\s*[:=,]\s*(?:\\*[\"'`])?"
            r"[\w.\-]{1,64}=([^\s;\"'`\\]{16,}(?:; ?[\w.\-]{1,64}=[^\s;\"'`\\]+)*)"
        ),
        checks=("real", "mixed"),
        category=Category.SESSION,
        confidence=Confidence.MEDIUM,
        by_context=True,
        matches=("Cookie: sid=" + _MIX[:32] + "; theme=dark", "Set-Cookie: session=" + _MIX[:32] + "; Path=/"),
        misses=("Cookie: theme=dark", "cookie: <value>"),
    ),
    SecretKind(
        id="session_cookie",
        what="a signed-in session",
        anchor="(?i)sess|sid=",
        trigger=r"(?i)(?:sessid|sessionid|session_id|_session|sid)=[A-Za-z0-9%._\-]{16}",
        pattern=(
            r"(?i)\b(?:phpsessid|jsessionid|sessionid|session_id|connect\.sid|asp\.net_sessionid|_session|sid)="
            r"([A-Za-z0-9%._\-]{16,})"
        ),
        checks=("real", "mixed"),
        category=Category.SESSION,
        confidence=Confidence.MEDIUM,
        by_context=True,
        matches=("GET /a?PHPSESSID=" + _HEX[:26],),
        misses=("sid=12",),
    ),
    SecretKind(
        id="command_line_login",
        what="the server that the command talks to",
        anchor=r"(?i)\s-u|--(?:proxy-)?user|userpwd",
        trigger=(
            r"(?i)(?:\s-u\s?|--(?:proxy-)?user[ =]|userpwd[\"'\\]{0,3}\s{0,4}[,=]\s{0,4})[\"'\\]{0,3}"
            r"[A-Za-z0-9_.@\-{}]{0,64}[\"']?:[\"']?[^\s\"'`\\]{3}"
        ),
        before=128,
        pattern=(
            r"(?i)(?:\s-u\s?|--(?:proxy-)?user[ =]|userpwd(?:\\*[\"'])?\s*[,=]\s*)"
            r"(?:\\*[\"'])?[A-Za-z0-9_.@\-{}]{0,64}[\"']?:[\"']?([^\s\"'`\\]{3,})"
        ),
        checks=("login_password",),
        category=Category.PASSWORD,
        confidence=Confidence.MEDIUM,
        by_context=True,
        matches=("curl -u admin:" + "s3cret-ish9" + " https://a.example",),
        misses=("curl -u user:$PASSWORD https://a.example", "docker run -u 1000:1000 image"),
    ),
    SecretKind(
        id="database_client_password",
        what="the database that the command talks to",
        anchor="mysql|mariadb|sshpass",
        trigger=r"(?:(?:mysql|mariadb)[^\n|;&]{0,160}?[ \t]-p|sshpass[ \t]+-p[ \t]*)[\"'\\]{0,3}[^\s\"'`\\\-$]",
        before=256,
        pattern=(
            r"(?:(?:mysql|mariadb)[a-z\-]{0,12}(?:[ \t][^\n|;&]{0,160}?)?[ \t]-p|sshpass[ \t]+-p[ \t]*)"
            r"(?:\\*[\"'])?([^\s\"'`\\\-$][^\s\"'`\\]{3,})"
        ),
        checks=("login_password", "digit", "no_port"),
        category=Category.PASSWORD,
        confidence=Confidence.MEDIUM,
        by_context=True,
        matches=(
            "mysql -u root -p" + "s3cret-ish9" + " shop < dump.sql",
            "mysqldump --all-databases -p" + "'Tr0ub4dor3'",
            "sshpass -p " + "s3cret-ish9" + " ssh root@db.example",
        ),
        misses=(
            "mysql -u root -p shop",
            "mysql -p$PASSWORD shop",
            "apt install mysql-server -plugins",
            "docker run --name mysql -p3307:3306 mysql:8",
            "see mysql docs on -port9000",
        ),
    ),
    SecretKind(
        id="sql_password",
        what="the account that the statement makes or changes",
        anchor=r"(?i)identified\s|\spassword\s",
        trigger=(
            r"(?i)(?:identified\s+(?:with\s+[^\s]+\s+)?by|(?:with|encrypted|login)\s+password)\s+(?:password\s+)?"
            r"\\*['\"][^'\"\\]{2}"
        ),
        before=160,
        pattern=(
            r"(?i)(?:identified\s{1,4}(?:with\s{1,4}[^\s]{1,48}\s{1,4})?by|(?:with|encrypted|login)\s{1,4}password)"
            r"\s{1,4}(?:password\s{1,4})?\\*(?:'((?:[^'\\\n]|''){3,})|\"([^\"\\\n]{3,}))"
        ),
        checks=("url_password", "digit"),
        category=Category.PASSWORD,
        confidence=Confidence.MEDIUM,
        by_context=True,
        matches=(
            "CREATE USER ada IDENTIFIED BY '" + "s3cret-ish9" + "';",
            'CREATE USER ada IDENTIFIED BY "' + "s3cret-ish9" + '";',
            "alter role ada with encrypted password '" + "Tr0ub4dor3" + "'",
            "CREATE ROLE ada LOGIN PASSWORD '" + "it''s-s3cret9" + "'",
            "CREATE USER a@b IDENTIFIED WITH mysql_native_password BY '" + "Tr0ub4dor3" + "'",
        ),
        misses=(
            "CREATE USER ada IDENTIFIED BY '${PASSWORD}'",
            "ALTER ROLE ada WITH PASSWORD 'your_password'",
            "rows identified by 'user_id'",
        ),
    ),
    SecretKind(
        id="vault_unseal_key",
        what="a HashiCorp Vault",
        anchor="(?i)unseal key|root token",
        pattern=r"(?i)(?:unseal key(?: \d{1,2})?|root token)\s*[:=]\s*([A-Za-z0-9+/=._\-]{20,})",
        checks=("real",),
        by_context=True,
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
        by_context=True,
        matches=("machine a.example login me password " + "s3cret-ish9",),
        misses=("machine learning login page password policy",),
    ),
    SecretKind(
        id="unknown_service_token",
        what="a service whose tokens begin with its name",
        look=Pass.SHAPES,
        anchor=r"[A-Za-z][_\-][A-Za-z0-9]{32}",
        before=96,
        pattern=(
            # After a digit and a sign, as in `sha256=`, it is a hash.
            r"(?:^|[^A-Za-z0-9_\-+/.=:]|(?:^|[^0-9])[=:])((?:[a-z]{2,10}|[A-Z]{2,10})(?:[_\-][A-Za-z0-9]{0,9}[A-Za-z]){0,2}[_\-][A-Za-z0-9]{32,})"
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
        trigger=r"(?i)_auth(?:token)? ?= ?\\{0,3}[\"']?[A-Za-z0-9+/=_\-]{16}",
        pattern=r"(?i)(?:^|[\s:])_auth(?:token)? ?= ?\\*[\"']?([A-Za-z0-9+/=_\-]{16,})",
        checks=("real", "mixed", "random"),
        by_context=True,
        matches=("//r.example/:_authToken=" + _HEX[:36],),
        misses=("//r.example/:_authToken=${NPM_TOKEN}", "CLIENT_AUTH = ObjectIdentifier(1)"),
    ),
    SecretKind(
        id="key_in_service_url",
        what="the service that the URL belongs to",
        anchor=r"(?i)(?:alchemy(?:api)?\.(?:io|com)|infura\.io|thingsboard\.cloud|quiknode\.pro|ankr\.com|getblock\.io|chainstack\.com)/",
        pattern=(
            r"(?i)(?:alchemy(?:api)?\.(?:io|com)|infura\.io|thingsboard\.cloud|quiknode\.pro|ankr\.com|getblock\.io"
            r"|chainstack\.com)/(?:[a-z0-9_\-]{1,16}/){0,3}([A-Za-z0-9_\-]{20,})"
        ),
        checks=("real", "mixed", "random"),
        by_context=True,
        matches=("https://eth-mainnet.g.alchemy" + ".com/v2/" + _MIX[:32], "https://mainnet.infura.io/v3/" + _HEX[:32]),
        misses=("https://docs.alchemy.com/reference/api-overview-of-everything",),
    ),
    SecretKind(
        id="otp_secret",
        what="the second factor of an account",
        anchor="otpauth://",
        pattern=r"otpauth://[^\s\"'<>]{1,400}?[?&]secret=([A-Za-z2-7]{16,})",
        checks=("real",),
        by_context=True,
        matches=("otpauth://totp/a:b?secret=" + "JBSWY3DPEHPK3PXP" + "JBSWY3DP&issuer=a",),
        misses=("otpauth://totp/a:b?issuer=a",),
    ),
    SecretKind(
        id="jwk_private_key",
        what="whatever accepts the key's owner; a key in JSON",
        anchor=r"[\"']d\\?[\"']\s{0,2}:",
        trigger=r"[\"']d\\?[\"']\s{0,2}:\s{0,2}\\?[\"'][A-Za-z0-9_\-]{42}",
        pattern=r"[\"']d\\?[\"']\s{0,2}:\s{0,2}\\?[\"']([A-Za-z0-9_\-]{42,})",
        checks=("very_random",),
        category=Category.PRIVATE_KEY,
        matches=('{"kty":"OKP","crv":"Ed25519","d":"' + _MIX[:43] + '"}',),
        misses=('{"d": "2026-01-01"}',),
    ),
    SecretKind(
        id="environment_key",
        what="a service that only says for which environment the key is",
        anchor="(?:live|test|prod)_",
        trigger=r"(?:live|test|prod)_(?:pub_)?[A-Za-z0-9_\-=.]{22}",
        pattern=EDGE + r"(?:[a-z]{2,8}_)?(?:live|test|prod)_(?:pub_)?([A-Za-z0-9_\-=.]{22,})",
        checks=("real", "mixed", "random", "long_run"),
        matches=("li" + "ve_" + _MIX[:40], "acme_prod_" + _MIX[:40]),
        misses=("test_that_the_long_name_of_a_test_is_no_key_2024",),
    ),
    SecretKind(
        id="service_token",
        what="a service whose tokens only say what they are",
        anchor="(?:sk|rk|pat|key|tok|token|secret|apikey|api|priv|stp|psk)[_\\-]",
        trigger=r"(?:sk|rk|pat|key|tok|token|secret|apikey|api|priv|stp|psk)[_\-][A-Za-z0-9_\-=.]{22}",
        pattern=(
            EDGE + r"(?:[a-z]{2,12}[_\-])?(?:sk|rk|pat|key|tok|token|secret|apikey|api|priv|stp|psk)[_\-]"
            r"([A-Za-z0-9_\-=.]{22,})"
        ),
        checks=("real", "mixed", "random", "no_words", "long_run"),
        fallback=True,
        confidence=Confidence.MEDIUM,
        matches=("stp" + "_" + _MIX[:40], "acme-priv-" + _MIX[:32]),
        misses=("key_of_the_first_table_in_2024_and_2025", "token-classification-bert-large-uncased-2024"),
    ),
)
