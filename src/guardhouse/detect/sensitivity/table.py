"""The labels that are built in, one row each, with texts that hold one and texts that only look like it.

Data only. A row that is not sure stays silent: a label decides what leaves, and nobody leaves a gate on that cries
wolf. What is a secret is not here; see `detect/secrets`.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.sensitivity.interface import Group, Label
from guardhouse.detect.sensitivity.mail import email
from guardhouse.detect.sensitivity.numbers import card, iban, national_id, phone
from guardhouse.detect.sensitivity.places import cloud_account, home_of, internal_address, internal_host, value_of

_BUILDS: Final = (
    # GitLab, GitHub, Jenkins, CircleCI, Travis, Buildkite, Azure, Bitbucket, Drone, CodeBuild
    "CI_JOB_ID CI_PIPELINE_ID CI_PROJECT_ID CI_RUNNER_ID CI_CONCURRENT_ID CI_JOB_URL CI_PIPELINE_URL CI_SERVER_URL"
    " CI_API_V4_URL CI_PROJECT_DIR GITHUB_RUN_ID GITHUB_RUN_NUMBER GITHUB_REPOSITORY_ID GITHUB_REPOSITORY_OWNER_ID"
    " GITHUB_WORKSPACE RUNNER_TEMP RUNNER_TOOL_CACHE BUILD_NUMBER BUILD_URL JENKINS_URL JENKINS_HOME JOB_URL"
    " CIRCLE_BUILD_NUM CIRCLE_BUILD_URL CIRCLE_WORKFLOW_ID TRAVIS_JOB_ID TRAVIS_BUILD_ID TRAVIS_BUILD_NUMBER"
    " BUILDKITE_BUILD_ID BUILDKITE_BUILD_NUMBER BUILDKITE_BUILD_URL BUILDKITE_AGENT_ID BUILD_BUILDID"
    " SYSTEM_COLLECTIONURI BITBUCKET_BUILD_NUMBER BITBUCKET_PIPELINE_UUID DRONE_BUILD_NUMBER CODEBUILD_BUILD_NUMBER"
).split()
_PROJECT: Final = r"[a-z][a-z0-9-]{4,28}[a-z0-9]"
_UUID: Final = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_HOME: Final = r"([A-Za-z0-9][A-Za-z0-9._-]{0,63})"

LABELS: Final = (
    Label(
        id="internal_host",
        group=Group.ENVIRONMENT,
        what="the name of a host in a network of one's own",
        pattern=r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.(?:internal|local|lan|corp|intranet|home\.arpa)\b",
        check=internal_host,
        matches=(
            "see https://‹wiki.corp›/start",
            "host: ‹db.internal›, and ‹cache.internal›:6379",
            'connect("‹db.internal›")',
            "ssh root@‹ip-10-0-0-1.ec2.internal›",
            "the database is ‹db01.prod.internal›:5432.",
            "curl ‹orders.shop.svc.cluster.local›",
            "print on ‹printer.lan› or ‹nas.home.arpa›",
            "‹build-3.local› answers. So does ‹build-4.local›.",
            "at ‹portal.intranet›, Montag",
        ),
        misses=(
            "threading.local() and self.local",
            "if dist.local and not fn.internal:",
            "from librt.internal import ReadBuffer",
            "see com.android.internal and org.apache.spark.internal",
            "cp .env.local settings.local.json",
            "host.docker.internal:8080",
            "http://metadata.google.internal/",
            "MyClass.internal = 1",
            "wiki.example.com",
            "numpy.core._internal",
            "the internal.network is local.",
            "1.0.168.192.in-addr.arpa",
            "a.local.example.com and db.local-dev",
        ),
    ),
    Label(
        id="internal_address",
        group=Group.ENVIRONMENT,
        what="an address in a network of one's own",
        pattern=r"[0-9]+(?:\.[0-9]+)+|[0-9A-Fa-f]{2,4}(?::[0-9A-Fa-f]{0,4}){2,}",
        check=internal_address,
        matches=(
            "connect to ‹10.0.0.1›.",
            "http://‹192.168.1.20›:8080/x",
            "ssh ada@‹172.16.4.9›",
            "behind ‹100.64.3.2›/32",
            "[‹fd12:3456:789a::1›]:443",
        ),
        misses=(
            "1.2.3.4.5 and 10.0.0.1.2",
            "v10.0.0.1",
            "lib-10.0.0.1.jar",
            "pip install thing==10.0.0.1",
            '"version": "10.0.0.1"',
            "10.0.0.1-rc2",
            "192.0.2.7, 198.51.100.1, 203.0.113.9 and 8.8.8.8",
            "10.0.0.0/8 and 192.168.0.0/16",
            "127.0.0.1 and 169.254.169.254",
            "10.300.0.1",
            "https://docs.example/javadb/10.8.3.0/ref",
            "fd:12:34:56:78:9a",
            "2001:db8::1",
            "fe80::1",
        ),
    ),
    Label(
        id="cloud_account",
        group=Group.ENVIRONMENT,
        what="the account, project or subscription of a cloud",
        pattern=(
            r"\barn:aws[a-z-]{0,10}:[a-z0-9-]{1,40}:[a-z0-9-]{0,30}:([0-9]{12}):"
            r"|\b([0-9]{12})\.dkr\.ecr\."
            rf"|\bprojects/({_PROJECT})/(?:locations|zones|regions|global|topics|subscriptions|secrets|serviceAccounts"
            r"|instances|databases|datasets|keyRings|services|roles)/"
            rf"|@({_PROJECT})\.iam\.gserviceaccount\.com\b"
            rf"|/subscriptions/({_UUID})\b"
        ),
        check=cloud_account,
        matches=(
            "arn:aws:iam::‹493827165501›:role/deployer",
            "arn:aws-cn:sns:cn-north-1:‹493827165501›:alarms",
            "docker pull ‹493827165501›.dkr.ecr.eu-west-1.amazonaws.com/shop",
            "projects/‹acme-billing-4711›/locations/europe-west1/keyRings/a",
            "deployer@‹acme-billing-4711›.iam.gserviceaccount.com",
            "/subscriptions/‹6f1d2c3b-90ab-4cde-8f01-23456789abcd›/resourceGroups/x",
        ),
        misses=(
            "arn:aws:iam::123456789012:user/Manual",
            "arn:aws:s3:::bucket/key",
            "arn:aws:iam::000000000000:root",
            "~/projects/guardhouse/src/app.py",
            "projects/my-project/locations/global/x",
            "/subscriptions/00000000-0000-0000-0000-000000000000/x",
            "the number 493827165501",
        ),
    ),
    Label(
        id="ci_variable",
        group=Group.ENVIRONMENT,
        what="what a variable of a build says",
        pattern=(
            rf"\b(?:{'|'.join(_BUILDS)})[\"']?[ \t]{{0,2}}[:=][ \t]{{0,2}}[\"']?"
            r"([0-9][0-9A-Za-z._:/-]{0,199}|https?://[0-9A-Za-z._~:/?#@%&=+-]{1,300}|/[0-9A-Za-z._~/-]{1,300})"
        ),
        check=value_of,
        matches=(
            "CI_JOB_ID=‹918273›",
            "GITHUB_RUN_ID: ‹7719022113›",
            '"BUILD_NUMBER": "‹441›"',
            "export JENKINS_URL='‹https://ci.acme.dev/›'",
            "GITHUB_WORKSPACE=‹/__w/shop/shop›",
        ),
        misses=(
            "BUILD_NUMBER=$BUILD_NUMBER",
            "echo ${CI_JOB_ID}",
            "GITHUB_RUN_ID: ${{ github.run_id }}",
            "BUILD_NUMBER = os.environ['BUILD_NUMBER']",
            "MY_BUILD_NUMBER=4",
            "set GITHUB_RUN_ID first",
        ),
    ),
    Label(
        id="local_path",
        group=Group.ENVIRONMENT,
        what="whose home a file lies in",
        pattern=(
            rf"(?:^|file://|[^A-Za-z0-9/._~}}\\-])(?:/home|/Users)/{_HOME}/"
            rf"|\b[A-Za-z]:(?:\\{{1,2}}|/)Users(?:\\{{1,2}}|/){_HOME}"
        ),
        check=home_of,
        matches=(
            "/home/‹lovelace›/work/app.py",
            'File "/Users/‹grace.h›/x.py", line 3',
            r"C:\Users\‹turing›\notes.txt",
            r"C:\\Users\\‹turing›\\notes.txt",
            "file:///home/‹lovelace›/x",
        ),
        misses=(
            "/home/runner/work/app",
            "https://shop.example/home/news/today",
            "GET /Users/42",
            "/var/home/x/y",
            r"C:\Users\Public\x",
            "$HOME/work",
            "~/work/app.py",
            "/home/",
        ),
    ),
    Label(
        id="email",
        group=Group.PERSONAL,
        what="somebody's mail address",
        pattern=r"[A-Za-z0-9._%+-]+(?:@|%40)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
        check=email,
        matches=(
            "write to ‹ada.lovelace@analytical.io›.",
            "mailto:‹grace+navy@hopper.mil›",
            "<‹turing@kings.cam.ac.uk›>",
            "https://api.example.com/‹ada@analytical.io›?cc=‹grace%40hopper.mil›",
            "Grüße an ‹juerg@firma.ch› – bis später",
        ),
        misses=(
            "ada@example.com and bob@mail.example.org",
            "git@github.com:acme/shop.git",
            "npm install left-pad@1.3.0 and a@2.0.0-rc.next",
            "logo@2x.png",
            "getty@tty1.service",
            "1234+ada@users.noreply.github.com",
            "noreply@acme.io",
            "root@db01.prod.internal",
            "https://ada@acme.io/",
            "a@b",
            "@decorator.with.dots",
        ),
    ),
    Label(
        id="phone",
        group=Group.PERSONAL,
        what="somebody's telephone number",
        pattern=(
            r"\+[1-9](?:[ .()-]{0,2}[0-9]){7,}"
            r"|\([2-9][0-9]{2}\) ?[2-9][0-9]{2}-[0-9]{4}\b"
            r"|\b[2-9][0-9]{2}(?:-[2-9][0-9]{2}-|\.[2-9][0-9]{2}\.)[0-9]{4}\b"
            r"|\b0(?:[0-9]{2} [0-9]{4} [0-9]{4}|[0-9]{3} [0-9]{3} [0-9]{4}|[0-9]{4} [0-9]{3} ?[0-9]{3})\b"
        ),
        check=phone,
        matches=(
            "call ‹+14155632671›",
            "‹+49 30 90182-3344›, bitte",
            "‹+44 (20) 7123 4567›",
            "‹(415) 563-2671› or ‹415-563-2672›",
            "ring ‹020 7123 4567› or ‹07911 123456›",
        ),
        misses=(
            "415-555-0132 or (415) 555-1212",
            "Clause 252.227-7013",
            "020 7946 0958",
            "+1.2345678901",
            "+999 123 456 789",
            "2026-11-17 15:27:11",
            "1.415.563.2671",
            "550e8400-e29b-41d4-a716-446655440000",
            "123-456-7890",
            "+49 1234 5678 9012 3456 7890",
            "4155632671",
        ),
    ),
    Label(
        id="card",
        group=Group.PERSONAL,
        what="the number of a payment card",
        pattern=(
            r"\b(?:[0-9]{13,}|[0-9]{4}(?:[ -][0-9]{4}){3,}(?:[ -][0-9]{1,3})?|3[0-9]{3}[ -][0-9]{6}[ -][0-9]{4,5})\b"
        ),
        check=card,
        matches=(
            "pay with ‹4111 1111 1111 1111› 12/26 123",
            "‹5555555555554444›",
            "‹3782-822463-10005›.",
            "ids,‹6011111111111117›,‹4012888888881881›",
            "card=‹4111-1111-1111-1111›",
        ),
        misses=(
            "4111111111111112",
            "1700000000000",
            "41111111111111111111",
            "0.4111111111111111",
            "1234 4111 1111 1111 1111",
            "to DE75 5121 0800 1245 1261",
            "a4111111111111111",
            "4111111111111111_1",
            "4444444444444444",
            "9999 9999 9999 9999",
            "4111 1111-1111 1111",
        ),
    ),
    Label(
        id="iban",
        group=Group.PERSONAL,
        what="the number of a bank account",
        pattern=(r"\b[A-Z]{2}[0-9]{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)\b"),
        check=iban,
        matches=(
            "‹DE89370400440532013000›",
            "IBAN: ‹GB29 NWBK 6016 1331 9268 19›, thanks",
            "‹NO9386011117947› and ‹ES91 2100 0418 4502 0005 1332› THIS",
        ),
        misses=(
            "DE89370400440532013001",
            "DE8937040044053201300",
            "XX89370400440532013000",
            "GB29NWBK60161331926819X",
            "AB12 CD34 EF56 GH78",
            "SE00AAAAAAAAAAAAAAAA",
        ),
    ),
    Label(
        id="national_id",
        group=Group.PERSONAL,
        what="the number by which a state knows somebody",
        pattern=r"\b[0-9]{3}(?:-[0-9]{2}-[0-9]{4}|\.[0-9]{3}\.[0-9]{3}-[0-9]{2})\b",
        check=national_id,
        matches=("SSN ‹536-22-8726›", "CPF ‹529.982.247-25›."),
        misses=(
            "000-12-3456",
            "666-12-3456 and 912-12-3456",
            "123-45-6789",
            "078-05-1120",
            "529.982.247-26",
            "111.111.111-11",
            "1536-22-8726",
            "536-22-8726-1",
        ),
    ),
)

SYSTEM_PROMPT: Final = "system_prompt"
"""The label of texts that configuration lists; it has no pattern."""
GROUP_OF: Final = {**{label.id: label.group for label in LABELS}, SYSTEM_PROMPT: Group.PRIVATE}
"""Every label that is built in, with its group."""
