"""What differs between two runs of one failure goes; numbers that mean something stay."""

import pytest

from mem_assets.signature import normalise, volatile_parts
from mem_assets.signature.normalisation import apply, substitutions

# The same line from two runs.
RUNS = """
took 1m 2.3s | took 4m 12.0s
in 00:01:02 | in 00:11:12
ran in 0.53s | ran in 12.1s
(12 ms) | (3 ms)
after 1h 2m 3s | after 2h 0m 1s
in 1 min 59 sec | in 2 min 3 sec
Duration: 0:00:12.123 | Duration: 0:01:02.000
real 0m3.21s | real 1m2.01s
waited 5m | waited 7m
BackOff (3m ago) | BackOff (40m ago)
Time: 00:00.010, Memory | Time: 01:12.000, Memory
==1234== Invalid read | ==99== Invalid read
[pid 12] exit | [pid 4112] exit
sshd[411]: closed | sshd[9]: closed
[pool-1-thread-3] ERROR x | [pool-2-thread-11] ERROR x
http-nio-8080-exec-3 x | http-nio-8080-exec-11 x
Thread-12 died | Thread-3 died
[gw3] node down | [gw0] node down
was java.lang.Object@1b6d3586 | was java.lang.Object@45546175
<Foo object at 0x7f0a1c> | <Foo object at 0x7f991c>
in /tmp/tmpab12/x.py | in /var/folders/aa/bcd/T/cd/x.py
in C:\\Users\\runneradmin\\AppData\\Local\\Temp\\ab1\\x.py | in /tmp/zz/x.py
cd tmp.AbC123xyz/file | cd tmp.ZZz999abc/file
at /builds/group/project/src/a.c | at /home/runner/work/r/project/src/a.c
at /home/travis/build/o/r/src/a.c | at /home/vsts/work/1/s/src/a.c
at /home/circleci/project/src/a.c | at /root/project/src/a.c
at /var/lib/jenkins/workspace/x/src/a.c | at /home/jenkins/workspace/y@2/src/a.c
at /Users/runner/work/r/r/src/a.c | at /drone/src/src/a.c
at D:\\a\\1\\s\\src\\a.c | at D:\\a\\repo\\repo\\src\\a.c
at /opt/atlassian/pipelines/agent/build/src/a.c | at /go/src/host/o/r/src/a.c
container 3f2a9bc1de00 died | container 9c2a9bc1de77 died
pod "api-757f89d977-795x7" | pod "api-6bd5f5cb8c-zz4xq"
api-0 0/1 CrashLoopBackOff 12 (3m ago) 40m | api-0 0/1 CrashLoopBackOff 3 5d
Warning BackOff 2m (x3 over 5m) kubelet restarting | Warning BackOff 10s kubelet restarting
node ip-10-0-1-23.ec2.internal | node ip-10-1-9-2.ec2.internal
node gke-prod-pool-1-8f3a2b1c-x7k2 is | node gke-prod-pool-1-77aa2b1c-p9zq is
dial tcp 10.0.0.7:41234 | dial tcp 10.0.9.9:51234
RequestId: 5HZ4XQ0K2A7B9C1D | RequestId: 7HZ4XQ0K2A7B9C1E
sha512-9NET910DNaIPng== | sha512-8MET910DNaIPng==
Randomized with seed 12345 | Randomized with seed 777
Run options: --seed 4411 | Run options: --seed 51
PYTHONHASHSEED=123 | PYTHONHASHSEED=9
12.3MB of | 14.9 MiB of
1,234 bytes | 99 bytes
[ 45%] Building | [ 7%] Building
downloading (12/345) | downloading (13/345)
[3/14] Linking app | [13/14] Linking app
at 2026-08-21 10:02:11,482 | at 2025-01-02_01-02-03
21/Aug/2026:10:02:11 +0000 | 02/Jan/2025:01:02:03 +0000
21.08.2026 10:02:11 | 08/21/2026 10:02:11 AM
Fri Aug 21 10:02:11 UTC 2026 | Thu Jan 2 01:02:03 CET 2025
vr 21 aug 2026 10:02:11 | Jeudi 2 janvier 2025 01:02:03
2026年08月21日 10:02:11 | 2025年1月2日 01:02:03
20260821T100211Z | 20250102-010203
cart-1.0-20260821.100211-3.jar | cart-1.0-20250102.010203-9.jar
Build #1234 failed | Build #88 failed
file_8f3a2b1c9d.txt | file_77aa2b1c9e.txt
see https://ci.example/acme/builds/12/log | see https://ci.example/acme/builds/1301/log
open /home/ci/build/4711/api/a.yml: no | open /home/ana/src/api/a.yml: no
at unix:///run/user/2001/docker.sock. Is | at unix:///run/user/7/docker.sock. Is
"/d" not found: not found | failed to calculate checksum of ref 1d-2::irxu4: "/d": not found
api-0 0/1 ImagePullBackOff 0 21m | api-0 0/1 ImagePullBackOff 7 (20s ago) 3d2h
At 4:13: Unknown token: 4:13 IDENT | At 12:3: Unknown token: 12:3 IDENT
git.example/a.TestSlow(0x0?) | git.example/a.TestSlow(0x14ac6754a248?)
E0812 10:12:11.123456 4711 cart.go:12] no cart | E1224 01:02:03.000001 9 cart.go:9] no cart
""".strip().split("\n")


@pytest.mark.parametrize("line", RUNS)
def test_what_differs_between_runs_goes(line):
    one, other = line.split(" | ")
    assert one != other
    assert normalise(one) == normalise(other)
    assert volatile_parts(normalise(one)) == []


MEANING = """
exit code 137
killed by signal 9
SIGSEGV (signal 11)
HTTP 404 Not Found
status code 503
100 continue
ERROR 1045 (28000)
error code 1603
SQLSTATE[42S02]
code: 42P01
ORA-00942
MSB4018
0x80070005
errno 13
rc=3
CVE-2024-1234
python 3.11.2
openssl 1.1.1k
Ubuntu 22.04
k8s 1.31
gcc-12
localhost:5432
127.0.0.1:8080
expected 1200 but was 1300
line length 120 > 100
(from 3 to 4)
0/3 nodes are available
1/2 replicas
web-0
pod/db-0
celery-worker-2
512m
2Gi
x86_64-linux-gnu
win32
base64
v1beta1
api/v2/users
RFC 2616
16 bits
""".strip().split("\n")


CODES = """
exit status {}
exit code {}
exit code: {}
exited with code {}
exit={}
killed by signal {}
signal: {}
status code {}
StatusCode: {}
HTTP {}
HTTP/1.1 {}
Error {}
Error[{}]
error[{}]: denied
error code {}
errno {}
code={}
(code: {})
rc={}
Decode {}
Mark {}
""".strip().split("\n")

BEHIND = ["", ".", ". Output: x", ": gone", ", gone", ")", "; gone", " - gone", " gone", "!", "\n"]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("behind", BEHIND)
def test_a_code_stays_whatever_stands_behind_it(code, behind):
    """Also where a terraform provisioner says it, whose paragraphs are cut."""
    command = "on main.tf line 3, in resource \"a\":\nError running command './a.sh --some words':"
    for before in ("", "run: ", f"{command} "):
        numbers = (1, 9, 13, 137, 143, 404, 503)
        forms = [normalise(before + code.format(number) + behind) for number in numbers]
        for number, form in zip(numbers, forms, strict=True):
            assert str(number) in form
        assert len(set(forms)) == len(numbers)


@pytest.mark.parametrize("text", MEANING)
def test_meaning_stays(text):
    assert normalise(text) == text


def test_no_two_of_them_become_one():
    assert len({normalise(text) for text in MEANING}) == len(MEANING)


@pytest.mark.parametrize("one", substitutions(), ids=lambda one: one.name)
def test_a_substitution_gives_what_it_promises(one):
    assert one.example != one.gives
    assert apply(one, one.example) == one.gives


def test_substitutions_have_names_of_their_own():
    names = [one.name for one in substitutions()]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("one", substitutions(), ids=lambda one: one.name)
def test_an_example_and_what_it_gives_have_one_normal_form(one):
    assert normalise(one.example) == normalise(one.gives)
    assert normalise(normalise(one.example)) == normalise(one.example)
