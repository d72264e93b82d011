"""Secrets that are told in words; and texts that speak of secrets and tell none."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.memory.told_secrets import told_secrets

LOGIN = base64.b64encode(b"made-up:Not4Real-Pass").decode()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("log in as importer, the password is Made-Lantern-77-Up, then rerun", "sentence"),
        ("new PSK, agreed by phone, for the record: made-up-horse-battery-7", "sentence"),
        ("use the pass\nphrase Zebra!Made!Tandem!4410", "sentence"),
        ("Das neue Kennwort lautet Nur-Erfunden-Herbst-4711", "sentence"),
        ("le mot de passe est Faux-Soleil-Vert-12", "sentence"),
        ("la contraseña es Falsa-Luna-Roja-12", "sentence"),
        ("log in with mona.k and Made-Up-Murr1 until it moves", "sentence"),
        ("keystore phrase: old → `winter-made-2024!`", "sentence"),
        (f"send Basic and then {LOGIN}", "base64"),
        ("the token is h u n t e r 2 9 x y without the gaps", "spaced out"),
        ("read it backwards: 7719pu_terces_edam", "backwards"),
        ("https://svc%3AMade%21Pass%40word88@git.example/a.git", "percent-encoded"),
    ],
)
def test_a_told_secret_is_found(text, kind):
    assert any(kind in found for found in told_secrets(text))


@pytest.mark.parametrize(
    "text",
    [
        "The password is expired, the account was locked after 5 attempts.",
        "The secret pay-db-credentials-v2 lived only in another namespace.",
        "We pin by digest sha256:3f1c9a0be2d47785c6e0a1b94fd2c8e7710f5a6b93de42c18a7be5509c1d2e4f.",
        "The token comes from /run/secrets/token-2 and is read by node-17.",
        "PGPASSWORD from the environment won over the file.",
        "password: ${DB_PASSWORD_2}",
        "The key is 2048 bits and the login takes 25 seconds.",
        "Authorization failed for bookworm-slim-12 since SHA-256 is not allowed.",
        "key = customer_id_2 in the account table",
        "The credentials helper of docker-desktop 4.12 is at fault.",
        "the key is on the wiki.example and the login of v1.2.3-rc1 works",
        "aGVsbG8gd29ybGQgdGhpcyBpcyB0ZXh0 is a greeting in base64",
        "the admin account was made by terraform-aws-modules/iam 5.2",
    ],
)
def test_no_secret_is_told(text):
    assert told_secrets(text) == []


@given(st.text())
def test_any_text_is_read(text):
    assert told_secrets(text) == sorted(told_secrets(text))


@pytest.mark.parametrize("bait", ["password is ", "a b ", "%41", "A" * 7 + " ", "(" * 9])
def test_bait_takes_linear_work(bait):
    assert isinstance(told_secrets(bait * (8000 // len(bait))), list)
