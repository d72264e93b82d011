"""What counts as saying why, and what a text is instead: a table a kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mem_assets.memory.causes import causes, consequences, explains, is_explained, is_hedged
from mem_assets.memory.remedies import is_remedy
from mem_assets.memory.says_why import (
    ASKS,
    NO_CAUSE,
    NO_CONCLUSION,
    NO_FIX,
    NOT_TECHNICAL,
    ONLY_CAUSE,
    PASTED,
    VAGUE,
    why_missing,
)
from mem_assets.memory.sentences import prose, sentences


def the(text: str):
    (one,) = sentences(text)
    return one


@pytest.mark.parametrize(
    "text",
    [
        "The broker drops idle sockets after a minute. Turned keepalive on in the client.",
        "tunnel flapped -> mtu 1500 behind pppoe; set it to 1492 on both peers",
        "nightly import empty = csv had a BOM, first column never matched. utf-8-sig now",
        "Random 401s: two replicas signed with different keys, so half of the tokens was refused. "
        "The key comes from the shared secret now.",
        "It turned out that the mirror cached a truncated tarball. Purged it there.",
        "cgo only works if the headers are in the image. apk add musl-dev.",
        "Since we moved to ARM nodes the sidecar image has no matching manifest. Built for both.",
        "relay: flush before close\n\nThe last frame stayed in the buffer of the socket.",
        "## Cause\n\nThe cron entry had no PATH.\n\n## Fix\n\nAbsolute paths in the script.",
        "Why: the exporter counts threads, the limit counts processes.\nFix: pids.max raised.",
        "We stay on libfoo 2 until the ABI of 3 is frozen, because every plugin would be rebuilt.",
        "ADR 12: chose protobuf over JSON. The gateway parses 40k messages/s and JSON took a core.",
        "Never mount the docker socket in CI jobs: a build could then stop the runner's container.",
        "Schema dump differs on each run. pg_dump sorts by oid, and oids are not stable. "
        "Sorted by name in our wrapper script.",
        "The exporter reads 0 of each queue: 3.11 renamed the metric. Recording rule, old to new.",
        "USB audio crackles on the kiosk. Power saving of the hub. usbcore.autosuspend=-1",
        "Agents went offline with the controller: both need one major of the JDK. 17 everywhere",
        "Sessions of the pool died at night - the firewall drops idle flows. keepalive 60",
        "Bump the parser to 3.2\n\n3.1 reads one byte past the frame, the decoder died at random.",
        "'Too many open files' in the importer. limits.conf does not apply to services of systemd, "
        "LimitNOFILE in the unit does.",
        "Der Build brach ab, weil das Zertifikat des Spiegels abgelaufen war. Erneuert und die "
        "Laufzeit im Monitoring eingetragen.",
        "Pods starteten nicht: der Knoten hatte keinen freien Speicher mehr. Limit jetzt 512Mi.",
        "Le relais coupait les connexions après une minute, donc les exports longs échouaient. "
        "Délai du relais relevé à dix minutes.",
        "Les jetons expiraient parce que l'horloge du serveur retardait. On a activé chrony.",
        "El certificado del servidor había caducado, por eso fallaban las conexiones del agente. "
        "Se renovó y ahora cert-manager lo vigila.",
        "Usar el directorio de caché local: el disco de red pierde los bloqueos de ficheros.",
    ],
)
def test_a_lesson_says_why(text):
    assert why_missing(text) == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("```\nmake: *** [all] Error 2\n```", PASTED),
        ("https://git.example/a/issues/1", VAGUE),
        ("Does the proxy cache answers with a cookie?", ASKS),
        (
            "The proxy caches answers of the billing API for an hour. Did somebody change its key?",
            ASKS,
        ),
        ("Fixed it, works again.", VAGUE),
        (
            "Rain came through the ceiling because moss blocked the gutter; a plumber removed it",
            NOT_TECHNICAL,
        ),
        ("Raised the memory limit of the worker container.", NO_CAUSE),
        ("The worker container restarts every night with exit code 137.", NO_FIX),
        (
            "The import of the ledger failed because its certificate had no SAN. The gateway "
            "refuses such certificates.",
            "",
        ),
        (
            "The import of the ledger failed because its certificate had no subject name.",
            ONLY_CAUSE,
        ),
        ("I'll raise the limit of the pool tomorrow, since the queue was full.", "planned"),
        ("Maybe the DNS cache of the resolver was stale, it works now.", "guesses"),
        ("Restarting the broker helped with the stuck partitions of the topic.", "trying again"),
        ("I upgraded the parser to 3.1. But the memory of the worker still grows.", NO_FIX),
        ("We need to be more careful with production databases.", "fits any problem"),
        ("Proposal: pin the base image by digest, since tags move.", "proposes"),
        ("Planned maintenance: the registry is read-only on Sunday.", "announces"),
        ("Thanks for the fix of the parser, because of you the cluster is back!", "thanks"),
        ("@ana can you look at the broker, the partitions are offline", "asks somebody"),
        ("This comment is updated with each push. Fix: run the linter.", "automatic message"),
        ("Root cause: TBD. Fix: TBD. Impact on the cluster: TBD", "template"),
        ("2.4.1 - Fixed: crash of the parser. Improved: memory of the cache.", "list of changes"),
        ("Steps to reproduce: start the broker twice. Expected result: a lock error.", "reports"),
        ("The proxy drops sockets since 3.1, and I am stuck. Please advise.", "asks for help"),
        ("The pool is exhausted each night. Trying to reproduce it on staging.", "not found yet"),
        ("Sonar said 0 % of coverage in the container. Good luck!", VAGUE),
        ("The pod restarts when the probe of the mesh is slow. Nothing in the log of it.", NO_FIX),
        ("✅ lint ✅ unit ✅ e2e ❌ perf", "build results"),
        ("Weiß jemand, warum der Server seit gestern langsam ist?", ASKS),
        ("Keine Ahnung warum, der Server läuft wieder.", "guesses"),
        ("Aucune idée, le serveur remarche depuis ce matin.", "guesses"),
        ("Ni idea, el servidor ya funciona.", "guesses"),
    ],
)
def test_what_does_not_say_why_is_told_what_it_is(text, reason):
    assert reason in why_missing(text)
    assert bool(why_missing(text)) == bool(reason)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A skewed key explains most endless tasks of the join. Look at its top keys before you "
         "give the executor more memory.", ""),
        ("Week 9: two incidents, both closed. Details in the notes.", VAGUE),
        ("One incident was about the JVM heap of the gateway and one about a Redis failover. "
         "Both closed.", NO_CONCLUSION),
    ],
)  # fmt: skip
def test_a_summary_concludes(text, expected):
    assert why_missing(text, is_summary=True) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Pinned the parser to 3.1.",
        "We then moved the lock into Redis.",
        "Raise the limit on all brokers.",
        "split the queue by tenant",
        "The limit was raised to 4 GB.",
        "They are split off before the join.",
        "All schedulers are on UTC now.",
        "max_conn=200 in the pool",
        "`-U` on the jobs of the mirror",
        "worker: commit after the write",
        "Setting GOFLAGS fixed it.",
        "Heap back to 4 G.",
        "Never run it as root.",
        "This PR turns the cache off.",
        "helm rollback, then the hook again",
    ],
)
def test_a_remedy(text):
    assert is_remedy(the(text))


@pytest.mark.parametrize(
    "text",
    [
        "The lock files were written twice.",
        "Nested checkouts were addressed over SSH.",
        "Latency was back to normal at 18:05.",
        "If the pull request is approved, the image is old.",
        "Cache entries of the branch expire.",
        "Write traffic is slow.",
        "Deployed the release to staging.",
        "The import is at 40 %.",
    ],
)
def test_no_remedy(text):
    assert not is_remedy(the(text))


@pytest.mark.parametrize(
    ("text", "cause", "consequence"),
    [
        ("It failed because the disk was full", True, False),
        ("It failed since the disk was full", True, False),
        ("It fails since Monday", False, False),
        ("As the disk was full it failed", True, False),
        ("As a result it failed", False, True),
        ("The disk was full, so it failed", False, True),
        ("The disk was full", False, False),
    ],
)
def test_where_a_cause_and_a_consequence_stand(text, cause, consequence):
    assert bool(causes(the(text))) is cause
    assert bool(consequences(the(text))) is consequence


def test_an_explanation_has_two_sides_and_no_hedge():
    assert explains(the("random 502s: node closes idle sockets after five seconds"))
    assert not explains(the("It failed because of it"))
    certain = "The export died because the lock of the vacuum is held by a snapshot"
    assert is_explained(sentences(certain))
    assert not is_explained(sentences(certain.replace("is held", "seems held")))
    assert is_hedged(the("It might be the lock"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <!-- hidden\n\n# x --> b", "a   b"),
        ("> all\n> of it", "all of it"),
        ("> quoted\n\nmine", "mine"),
        ("**Cause**\n\nThe lock.", "Cause: The lock."),
        ("text\n\n```\ncut off", "text"),
        ("rest of code\n```", ""),
        ("Short line ended\nNext begins", "Short line ended\nNext begins"),
        ("see [the run](https://x.example/1)", "see [the run"),
        ("- [ ] open", "[ ] open"),
    ],
)
def test_prose_of_markdown(text, expected):
    assert prose(text) == expected


BAIT = [
    "because " * 1000, "(" * 8000, "a" * 8000, ". " * 4000, "<!--" * 2000, "```\n" * 2000,
    "so the " * 1100, "@" * 8000, "x -> " * 1500, "://" * 2600, "don't forget " * 600, "\n" * 8000,
    "password is " * 660, "> " * 4000, "[ ] " * 2000, "ge" * 4000, "é" * 4000, "=" * 8000,
]  # fmt: skip


@pytest.mark.parametrize("text", BAIT, ids=range(len(BAIT)))
def test_bait_is_answered(text):
    assert isinstance(why_missing(text), str)


@given(st.text(max_size=400), st.booleans())
def test_any_text_is_answered(text, is_summary):
    assert isinstance(why_missing(text, is_summary), str)
