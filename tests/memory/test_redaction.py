"""Secrets go, error lines stay. No secret stands here in one piece: each is put together."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.memory import secret_rules
from mem_assets.memory.redaction import find_secrets, redact

ALNUM = "Zk3vQ9xLm2Tn8RpWc5Ys7BdF4GhJ6aEu1oKiNtVbXzCrPfMg0SwDqHyLj"
HEX = "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0"
B64 = "q7Rk2mPzX9vLcT4nYw8sBdF5hJgA3eUo1KiNtVbXzCrP6fMg0SwDqHyLjEaGxRuZk3vQ9xLm2Tn8RpWc5Ys7BdF4"

SECRETS = [
    ("github-token", "remote: {} was revoked", "ghp_" + ALNUM[:36]),
    ("github-token", "GET /user {} 401", "gho_" + ALNUM[:36]),
    ("github-token", "{}", "ghs_" + ALNUM[:36]),
    ("github-token", "token {} expired", "github_" + "pat_11ABCDE_" + ALNUM[:50]),
    ("gitlab-token", "fatal: bad {}", "glpat-" + ALNUM[:20]),
    ("gitlab-token", "runner {} refused", "glrt-t1_" + ALNUM[:20]),
    ("npm-token", "npm error {} is invalid", "npm_" + ALNUM[:36]),
    ("npmrc-auth", "//registry.example/:_authToken={}", ALNUM[:30]),
    ("pypi-token", "403 for {}", "pypi-" + "AgEIcHlwaS5vcmc" + ALNUM),
    ("crates-io-token", "error: {} lacks scope", "cio" + ALNUM[:32]),
    ("docker-token", "denied: {}", "dckr_" + "pat_" + ALNUM[:27]),
    ("docker-auth", '{{"auths":{{"r.example":{{"auth": "{}"}}}}}}', "dXNlcjpodW50ZXIyaHVudGVyMg=="),
    ("hugging-face-token", "401 {}", "hf_" + ALNUM[:34]),
    ("google-api-key", "key={}&v=3: 403", "AIza" + ALNUM[:35]),
    ("google-oauth", "{} expired", "ya29." + ALNUM[:40]),
    ("google-oauth", "{}", "GOCSPX-" + ALNUM[:28]),
    ("aws-access-key", "InvalidAccessKeyId: {}", "AKIA" + "Q7R2MPZX9VLCT4NY"),
    ("aws-secret-key", "aws_secret_access_key = {}", B64[:40]),
    ("aws-secret-key", '"SecretAccessKey": "{}",', B64[:40]),
    ("aws-signature", "https://b.s3.example/k?X-Amz-Signature={}&x=1", HEX),
    ("azure-storage-key", "AccountName=a;AccountKey={};EndpointSuffix=core", B64[:86] + "=="),
    ("azure-sas", "https://a.blob.example/c?sv=2022&sig={}&se=1", "q7Rk2mPzX9vLcT4nYw8sBd%3D"),
    ("slack-token", "{}", "xoxb-" + "123456789012-123456789012-" + ALNUM[:24]),
    (
        "webhook",
        "https://hooks.slack.com/services/{}",
        "/".join(("T0AB12CD", "B0AB12CD", ALNUM[:24])),
    ),
    ("stripe-key", "No such key: {}", "sk_" + "live_" + ALNUM[:24]),
    ("sendgrid-api-key", "{}", "SG." + ALNUM[:22] + "." + ALNUM[:43]),
    ("twilio-key", "{}", "SK" + HEX[:32]),
    ("mailchimp-access-key", "{}", HEX[:32] + "-us12"),
    ("square-oauth-secret", "{}", "sq0csp-" + ALNUM[:43]),
    ("jwt", "got {} in reply", ".".join(("eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxIn0", ALNUM[:43]))),
    ("authorization", "> Authorization: Bearer {}", ALNUM[:24]),
    ("authorization", "-H 'authorization: Basic {}'", "dXNlcjpwYXNzd29yZDE="),
    ("authorization", '"Authorization": "token {}"', HEX[:40]),
    ("authorization", "Proxy-Authorization: Basic {}", "dXNlcjpwYXNz"),
    ("bearer-token", "sent bearer {} to host", ALNUM[:32]),
    ("cookie", "< Set-Cookie: {}", "session=" + ALNUM[:24] + "; Path=/"),
    ("url-password", "fatal: https://bot:{}@git.example/a.git", "hunter2"),
    ("url-password", "postgres://app:{}@db:5432/app: refused", "p@ss/w0rd"),
    ("url-password", "redis://:{}@cache:6379", "s3cret"),
    ("url-password", "git clone https://x-access-token:{}@git.example/a/b", "abc123"),
    ("url-token", "https://{}@errors.example/1", HEX[:32]),
    ("variable", "- name: API_TOKEN\n  value: {}", "abcdef1234567890"),
    ("variable", "Step 3/9 : ENV DB_PASSWORD {}", "hunter2"),
    ("command-line-password", "redis-cli -h cache -a {} ping", "hunter2"),
    ("key", "SECRET_KEY_BASE={}", HEX),
    ("token", '-H "X-Vault-Token: {}"', "s.abcdefghijklmnop12345678"),
    ("password", "Error: invalid password: {}", "hunter2"),
    ("password", "DB_PASSWORD={}", "hunter2"),
    ("password", "export PGPASSWORD='{}'", "with space"),
    ("password", "  password: {}", "correcthorse"),
    ("password", '{{"user": "a", "password": "{}", "n": 1}}', 'a\\"b,c'),
    ("password", "'password' => '{}',", "hunter2"),
    ("password", "<password>{}</password>", "hunter2"),
    ("password", "Server=s;Password={};Database=d", "Str0ng(!)"),
    ("password", "mvn -Dgpg.passphrase={} deploy", "open sesame".replace(" ", "-")),
    ("password", "tool --password {} --verbose", "Tr0ub4dor&3"),
    ("token", "2026-11-24T01:02:03.4Z token: {}", ALNUM[:16]),
    ("token", '{{\\"token\\":\\"{}\\"}}', "abc123def456"),
    ("token", "GET /x?token={}&page=2: 404", "abc12345"),
    ("token", "deploy --token={}", HEX[:32]),
    ("key", 'api_key = "{}"', ALNUM[:20]),
    ("key", "SAUCE_ACCESS_KEY={}", "78924453-3ea4-4aa8-acbf-8ff434f889b9"),
    ("secret", "client_secret: '{}'", ALNUM[:20]),
    ("netrc-password", "machine h login bot password {}", "hunter2"),
    ("netrc-password", "machine h\n  login bot\n  password {}", "hunter2"),
    ("kubeconfig-key", "    client-key-data: {}", "LS0t" + ALNUM[:44]),
    ("sql-password", "CREATE USER app WITH PASSWORD '{}';", "hunter2"),
    ("command-line-password", "+ docker login -u bot -p {} r.example", "hunter2"),
    ("command-line-password", "+ curl -fsSL -u bot:{} https://h.example", "hunter2"),
    ("command-line-password", "sshpass -p {} ssh h", "hunter2"),
]

UNTOUCHED = [
    "fatal: bad object 9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c",
    "Digest: sha256:" + HEX,
    "image@sha256:" + HEX + " not found",
    '"integrity": "sha512-' + B64[:86] + '==",',
    "npm error code EINTEGRITY sha512-" + B64[:86] + "== integrity checksum failed",
    "request 550e8400-e29b-41d4-a716-446655440000 failed",
    "assert decode('" + B64 + "') == b'x'",
    'FATAL: password authentication failed for user "app"',
    "error: token expired",
    "SyntaxError: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
    "SyntaxError: Unexpected token: name (foo)",
    "error: unexpected token: expected `;`",
    'Error from server (NotFound): secrets "my-tls" not found',
    "MountVolume.SetUp failed: secret: my-tls not found",
    'E1124 reconciler error secret="default/my-tls-2" err="not found"',
    "secret/my-tls not found",
    "password: ***",
    "token: ${GITHUB_TOKEN}",
    "token: ${{ secrets.NPM_TOKEN }}",
    "DB_PASSWORD=$DB_PASSWORD",
    "password=null",
    '"password": true,',
    "password: string",
    "password: <REDACTED:password>",
    "password: [secure]",
    "const token = await getToken(client);",
    "this.password = options.password;",
    "password: process.env.DB_PASSWORD,",
    "PublicKeyToken=b77a5c561934e089",
    "max_tokens: 4096, next_token=abc123456789",
    "PWD=/home/runner/work/app",
    "password_file=/run/secrets/db",
    "--password-stdin is preferred",
    "WARNING! Using --password via the CLI is insecure. Use --password-stdin.",
    "  --token string   Token to use",
    "remote: Password authentication is not supported for Git operations.",
    "fatal: could not read Password for 'https://bot@github.com': terminal prompts disabled",
    "https://user:***@git.example/a.git",
    "GET https://registry.example:443/@types/node 404",
    "git@github.com:owner/repo.git: Permission denied (publickey).",
    'www-authenticate: Bearer realm="https://auth.example/token",service="r"',
    "Authorization: token is missing",
    "grep -q '-----BEGIN RSA PRIVATE KEY-----' key.pem",
    "PEM_read_bio: no start line: expecting -----BEGIN PRIVATE KEY----- in authentication",
    "-----BEGIN CERTIFICATE-----\n" + B64 + "\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n" + B64 + "\n-----END PUBLIC KEY-----",
    "org.springframework.jdbc.core.NamedParameterJdbcTemplate.query(Named.java:1)",
    "12345678:" + HEX[:40],
    "12 passed, pass: 34, fail: 2",
    "Authorization: Basic authentication failed",
    "password: must be at least 8 characters",
    "warning: password: sha256 is deprecated",
    "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: db",
    "- name: DB_PASSWORD\n  value: $(DB_PASSWORD)",
    "error: token: self.lexer.token is None",
    "error[E0425]: cannot find value `token` in this scope",
    "assertion failed: `(left == right)` left: `Token(1)`, right: `Token(2)`",
]


@pytest.mark.parametrize(("kind", "line", "secret"), SECRETS)
def test_a_secret_is_replaced_and_its_line_kept(kind: str, line: str, secret: str) -> None:
    text = line.format(secret)
    clean, kinds = redact(text)
    assert clean == line.format(f"<REDACTED:{kind}>")
    assert kinds == (kind,)
    assert find_secrets(text) == [kind]
    assert find_secrets(clean) == []
    assert redact(clean) == (clean, ())


@pytest.mark.parametrize("text", UNTOUCHED)
def test_a_line_without_a_secret_is_unchanged(text: str) -> None:
    assert redact(text) == (text, ())


@pytest.mark.parametrize("begin", ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""])
def test_a_private_key_goes_whole_and_line_numbers_hold(begin: str) -> None:
    head, tail = f"-----BEGIN {begin}PRIVATE KEY-----", f"-----END {begin}PRIVATE KEY-----"
    body = [B64[:64], B64[3:67], B64[:20] + "=="]
    for prefix in ("", "    ", "2026-11-24T01:02:03.4567890Z ", "api-1  | "):
        lines = [prefix + line for line in ("before", head, *body, tail, "after")]
        clean, kinds = redact("\r\n".join(lines))
        assert kinds == ("private-key",)
        assert not any(part in clean for part in (*body, "BEGIN", "END"))
        assert clean.startswith(f"{prefix}before\r\n")
        assert clean.endswith(f"\r\n{prefix}after")
        assert clean.count("\n") == len(lines) - 1


def test_a_private_key_on_one_line_of_json() -> None:
    key = "\\n".join(("-----BEGIN PRIVATE KEY-----", B64[:64], "-----END PRIVATE KEY-----", ""))
    clean, _ = redact('{"private_key": "' + key + '", "id": 1}')
    assert json.loads(clean)["id"] == 1
    assert B64[:64] not in clean


def test_a_pgp_key_block() -> None:
    block = f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{B64}\n=a1b2\n"
    whole = block + "-----END PGP PRIVATE KEY BLOCK-----"
    assert B64 not in redact(whole)[0]
    assert redact(block + "done, all is well")[0].endswith("\ndone, all is well")
    assert B64 not in redact(block)[0]


def test_an_unterminated_key_takes_no_more_than_its_body() -> None:
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{B64[:64]}\n{B64[:64]}\nerror: cut off here\nnext"
    assert redact(text)[0] == "<REDACTED:private-key>\n\n\nerror: cut off here\nnext"


def test_colours_do_not_hide_a_secret() -> None:
    token = "ghp_" + ALNUM[:36]
    for text in (
        f"\x1b[31m{token}\x1b[0m",
        f"\x1b[1mpassword\x1b[0m: \x1b[33m{ALNUM[:12]}\x1b[0m",
        f"{token[:20]}\x1b[0;1m{token[20:]} end",
    ):
        clean, kinds = redact(text)
        assert kinds
        assert ALNUM[4:12] not in clean
        assert find_secrets(clean) == []


TOKEN = "ghp_" + ALNUM[:36]
ESCAPED = [
    (r'{{"log": "push refused\n{}\nis not allowed"}}', TOKEN, "github-token"),
    (r'{{"log": "at line\t{}\r\n"}}', TOKEN, "github-token"),
    (r'{{"log": "x\b{}\f"}}', TOKEN, "github-token"),
    (r'{{"log": "{{\"log\": \"refused\\n{}\\n\"}}"}}', TOKEN, "github-token"),
    (r'{{"log": "for \u001b[0;31m{}\u001b[0m"}}', TOKEN, "github-token"),
    (r"b'for \x1b[31m{}\x1b[0m'", TOKEN, "github-token"),
    (r"for \033[31m{}\033[0m", TOKEN, "github-token"),
    (r"for \e[31m{}\e[0m", TOKEN, "github-token"),
    (r"a\u000a{}\u000ab", TOKEN, "github-token"),
    (r'{{"log": "{}"}}', r"gh\u0070\u005f" + ALNUM[:36], "github-token"),
    (r"id\n{}", "AKIA" + "Q7R2MPZX9VLCT4NY", "aws-access-key"),
    (r"fatal: https:\/\/bot:{}@git.example\/a.git", "p4ssW0rd9", "url-password"),
    (r"DB_PASSWORD=\t{}", "Hunter2secretX9", "password"),
    (r'{{"log": "a\npassword: {}\nb"}}', "correcthorse", "password"),
    (r'{{"run": "curl -u \"bot:{}\" https://h"}}', "hunter2", "command-line-password"),
]


@pytest.mark.parametrize(("line", "secret", "kind"), ESCAPED)
def test_an_escape_does_not_hide_a_secret(line: str, secret: str, kind: str) -> None:
    clean, kinds = redact(line.format(secret))
    assert clean == line.format(f"<REDACTED:{kind}>")
    assert kinds == (kind,)
    assert find_secrets(line.format(secret)) == [kind]
    assert redact(clean) == (clean, ())


@pytest.mark.parametrize(
    "text",
    [
        r"cannot open C:\new\token.txt",
        r"token: C:\new\token.txt",
        r"password=C:\new\reset\token.txt",
        r'{"path": "C:\\new\\token.txt", "next": "C:\\repo\\password\\reset.ts"}',
        r"D:\a\1\s\token: not found",
        r"\\server\news\tokens\passwords",
        r'printf("token: %s\n", token);',
        r"grep -P 'password:\t\w+' a.txt",
        r"\u0070assword and \x41 are escapes",
    ],
)
def test_a_backslash_makes_no_secret(text: str) -> None:
    assert redact(text) == (text, ())


def test_lines_without_an_escape_do_not_touch_one_another() -> None:
    text = "a\\n- name: API_TOKEN\nplain words\n  value: abcdef1234567890 b\\n"
    assert redact(text) == (text, ())


def test_json_stays_json() -> None:
    for value in ("a\\nb", 'q"uote', "back\\", "Cookie: a=" + ALNUM[:20]):
        line = json.dumps({"text": f'{{"password": "{value}"}} curl -u a:{value}', "n": [1]})
        assert json.loads(redact(line)[0])["n"] == [1]


def test_several_secrets_keep_their_places() -> None:
    text = f"a ghp_{ALNUM[:36]} b glpat-{ALNUM[:20]} c DB_PASSWORD=ghp_{ALNUM[:36]}"
    assert redact(text) == (
        "a <REDACTED:github-token> b <REDACTED:gitlab-token> c DB_PASSWORD=<REDACTED:github-token>",
        ("github-token", "gitlab-token"),
    )


@given(st.text(st.characters(exclude_characters="=:->.~_AaEeSsIi")))
def test_text_without_a_trigger_is_the_same(text: str) -> None:
    assert redact(text) == (text, ())


HOSTILE = (
    *("token=", 'token="', "token='`", '"token":"\\', "-----BEGIN RSA PRIVATE KEY-----", "://a:"),
    *("a://b:c@", "password: ", "eyJ", "M", "\x1b[", "curl -u a:b ", "login a password ", "=>>"),
    *("cookie: a=", "authorization: basic ", "secret,secret=", "<token>", "sig=", ");", "\x1b[0m"),
    *("\\", "\\n", '\\"', "\\u", "\\e[", "\\\\\\", "\\npassword=", 'password=\\"a'),
)
PIECES = st.sampled_from(
    [
        *(secret for _, _, secret in SECRETS),
        *("password=", "token: ", '"secret": "', "://u:", "@h", "<REDACTED:x>", "Bearer ", "***"),
        *("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "\n", " ", "\x1b[1m"),
        *("\\n", "\\\\n", "\\t", '\\"', "\\/", "\\u0070", "\\u000a", "\\x1b[0m", "\\e["),
        *('"', "'", "\\", "&", ",", "$", "<", "é", "\ud800", "AKIA", "-p ", "curl -u ", "cookie: "),
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_redacting_again_changes_nothing(text: str) -> None:
    clean, kinds = redact(text)
    assert redact(clean) == (clean, ())
    assert find_secrets(clean) == []
    assert bool(kinds) == (clean != text)
    assert clean.count("\n") == text.count("\n")


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    clean, _ = redact(text)
    assert redact(clean) == (clean, ())


def test_hostile_repetition_is_taken() -> None:
    for piece in (*HOSTILE, *(piece + "\n" for piece in HOSTILE)):
        clean, _ = redact(piece * 2_000)
        assert find_secrets(clean) == []


def test_every_pattern_finds_itself_in_the_automaton() -> None:
    for kind, line, secret in SECRETS:
        rules = secret_rules.matching(line.format(secret).encode())
        assert 0 < len(rules) < 12, kind


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ('kind = "a"', "pattern must be a string"),
        ('kind = "A b"\npattern = "x"', "kind must be"),
        ('kind = "a"\npattern = "("', "pattern refused"),
        ('kind = "a"\npattern = "x"\nspeed = 1', "unknown key 'speed'"),
    ],
)
def test_a_faulty_pattern_is_named(entry: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as raised:
        secret_rules.read_rules("[[secret]]\n" + entry)
    assert "secret_patterns.toml: entry 1" in str(raised.value)


def test_real_logs_keep_their_error_lines() -> None:
    corpus = Path(__file__).parents[3] / "shared" / "corpus" / "incidents"
    if not corpus.is_dir():
        pytest.skip("the corpus of real failures is not beside the project")
    for file in sorted(corpus.glob("*.jsonl")):
        text = file.read_text(encoding="utf-8")
        assert redact(text) == (text, ()), file.name
